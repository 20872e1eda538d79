import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { COUNTS, DIMENSIONS, HOUR_MS } from "../tables/usage-hours.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

/** Key in `meta`: the number of the last aggregated call. */
export const USAGE_MARK = "usage";

/** Calls in the columns of `usage_hours`, one row per call. */
export function callsAsUsage(after: number, last: number): RawBuilder<unknown> {
  return sql`select at - at % ${sql.lit(HOUR_MS)} as hour, user_id, key_id,
      case when fault = 'model_not_found' then '' else model end as model,
      coalesce(channel, '') as channel, 1 as calls,
      case when outcome in ('failed', 'interrupted') then 1 else 0 end as failed_calls,
      input_tokens, cached_input_tokens, cache_write_tokens, audio_input_tokens,
      output_tokens, reasoning_tokens, audio_output_tokens, cost,
      image_input_tokens, image_output_tokens, images, media_ms, characters, searches,
      reference_images
    from calls where seq > ${after} and seq <= ${last}`;
}

/**
 * Adds at most `limit` of the next calls to the sums; returns their number.
 * `end`: no call with a number up to it can still appear. The sums and the
 * watermark change in one transaction, and only one gateway changes them at a
 * time, so that every call is added once.
 */
export async function sumCalls(db: Kysely<Tables>, end: number, limit: number): Promise<number> {
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

    await addToSums(transaction, callsAsUsage(after, last));
    await setWatermark(transaction, USAGE_MARK, last);
    return count;
  });
}

/**
 * Deletes the oldest hour of the sums if it ended before `before` (Unix ms);
 * false if there is none.
 */
export async function pruneUsage(db: Kysely<Tables>, before: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("usage_hours")
    .where("hour", "<=", before - HOUR_MS)
    .where("hour", "=", (oldest) =>
      oldest.selectFrom("usage_hours").select(({ fn }) => fn.min("hour").as("hour")),
    )
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

async function addToSums(transaction: Transaction<Tables>, calls: RawBuilder<unknown>) {
  const names = sql.join([...DIMENSIONS, ...COUNTS].map((name) => sql.ref(name)));
  const dimensions = sql.join(DIMENSIONS.map((name) => sql.ref(name)));
  const sums = sql.join(COUNTS.map((name) => sql`sum(${sql.ref(name)})`));
  const added = sql.join(
    COUNTS.map(
      (name) =>
        sql`${sql.ref(name)} = ${sql.ref(`usage_hours.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ),
  );
  // Sorted, so that SQLite's tree grows at its end. Without the condition,
  // SQLite would parse `on conflict` as a part of a join.
  await sql`insert into usage_hours (${names})
    select ${dimensions}, ${sums} from (${calls}) as added where true
    group by ${dimensions} order by ${dimensions}
    on conflict (${dimensions}) do update set ${added}`.execute(transaction);
}
