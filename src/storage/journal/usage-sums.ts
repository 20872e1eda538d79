import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { COUNTS, DIMENSIONS, HOUR_MS } from "../tables/usage-hours.ts";
import { addedTo } from "./added-to.ts";
import { addTeamsOfTasks } from "./teams-of-tasks.ts";
import { addToLabels } from "./usage-labels.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

/** Key in `meta`: the number of the last aggregated call. */
export const USAGE_MARK = "usage";

/** Calls in the columns of `usage_hours`, one row per call, with their tags and session. */
export function callsAsUsage(after: number, last: number): RawBuilder<unknown> {
  return sql`select at - at % ${sql.lit(HOUR_MS)} as hour, user_id, key_id,
      coalesce(team_id, 0) as team_id, coalesce(group_id, 0) as group_id,
      case when fault = 'model_not_found' then '' else model end as model,
      coalesce(channel, '') as channel, coalesce(endpoint, '') as endpoint, 1 as calls,
      case when outcome in ('failed', 'interrupted') then 1 else 0 end as failed_calls,
      input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens,
      output_tokens, reasoning_tokens, audio_output_tokens, cost,
      image_input_tokens, image_output_tokens, images, media_ms, characters, searches,
      reference_images, session_id, tags
    from calls where seq > ${after} and seq <= ${last}`;
}

/**
 * Adds at most `limit` of the next calls to the sums; returns their number.
 * `end`: no call with a number up to it can still appear. The sums and the
 * watermark change in one transaction, and only one gateway changes them at a
 * time, so that every call is added once.
 */
export async function sumCalls(
  db: Kysely<Tables>,
  end: number,
  limit: number,
  maxLabels: number,
): Promise<number> {
  // Write nothing if there are no new calls.
  if (end <= (await readWatermark(db, USAGE_MARK))) return 0;
  return await db.transaction().execute(async (transaction) => {
    const after = await takeWatermark(transaction, USAGE_MARK);
    const next = transaction
      .selectFrom("calls")
      .select("seq")
      .where("seq", ">", after)
      .where("seq", "<=", end)
      .orderBy("seq")
      .limit(limit);
    const { last, count } = await transaction
      .selectFrom(next.as("next"))
      .select(({ fn, cast }) => [
        fn.max("seq").as("last"),
        cast<number>(fn.countAll(), "bigint").as("count"),
      ])
      .executeTakeFirstOrThrow();
    // The type ignores that the table may be empty.
    if (count === 0 || last === null) return 0;

    await addTeamsOfTasks(transaction, after, last);
    const calls = callsAsUsage(after, last);
    await addToSums(transaction, calls);
    await addToKeys(transaction, calls);
    await addToLabels(transaction, calls, maxLabels);
    await setWatermark(transaction, USAGE_MARK, last);
    return count;
  });
}

/**
 * Deletes the oldest hour of the sums if it ended before `before` (Unix ms);
 * false if there is none.
 */
export async function pruneUsage(db: Kysely<Tables>, before: number): Promise<boolean> {
  const pruned = [];
  for (const table of ["usage_hours", "usage_labels"] as const) {
    const { numDeletedRows } = await db
      .deleteFrom(table)
      .where("hour", "<=", before - HOUR_MS)
      .where("hour", "=", (oldest) =>
        oldest.selectFrom(table).select(({ fn }) => fn.min("hour").as("hour")),
      )
      .executeTakeFirstOrThrow();
    pruned.push(numDeletedRows > 0n);
  }
  return pruned.includes(true);
}

async function addToSums(transaction: Transaction<Tables>, calls: RawBuilder<unknown>) {
  const names = sql.join([...DIMENSIONS, ...COUNTS].map((name) => sql.ref(name)));
  const dimensions = sql.join(DIMENSIONS.map((name) => sql.ref(name)));
  const sums = sql.join(COUNTS.map((name) => sql`sum(${sql.ref(name)})`));
  // Sorted, so that SQLite's tree grows at its end. Without the condition,
  // SQLite would parse `on conflict` as a part of a join.
  await sql`insert into usage_hours (${names})
    select ${dimensions}, ${sums} from (${calls}) as added where true
    group by ${dimensions} order by ${dimensions}
    on conflict (${dimensions}) do update set ${addedTo("usage_hours", COUNTS)}`.execute(
    transaction,
  );
}

/** The sum of a key may exceed the range of integers only if it exceeds that of accounts. */
async function addToKeys(transaction: Transaction<Tables>, calls: RawBuilder<unknown>) {
  await sql`insert into key_usage (key_id, calls, cost)
    select key_id, sum(calls), cast(sum(cost) as bigint) from (${calls}) as added where true
    group by key_id order by key_id
    on conflict (key_id) do update set ${addedTo("key_usage", ["calls", "cost"])}`.execute(
    transaction,
  );
}
