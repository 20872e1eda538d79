import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Engine } from "../database/engine.ts";
import type { Tables } from "../tables.ts";
import { COUNTS, DAY_MS, DIMENSIONS, HOUR_MS, TOTAL_DIMENSIONS } from "../tables/usage-hours.ts";
import { addedTo } from "./added-to.ts";
import { addSums, namedAs } from "./add-sums.ts";
import { addTeamsOfTasks } from "./teams-of-tasks.ts";
import { addLate } from "./fold-usage.ts";
import { boundLabels, LABEL_KEY, labelledCalls } from "./usage-labels.ts";
import { PRUNED_MARK, USAGE_MARK } from "./usage-mark.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

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

export interface LabelOptions {
  readonly maxLabels: number;
  readonly linesOf: Engine["linesOf"];
}

interface SumOptions extends LabelOptions {
  /** No call with a number up to it can still appear. */
  readonly end: number;
  readonly limit: number;
}

/**
 * Adds at most `limit` of the next calls to the sums; returns their number. The sums and the
 * watermark change in one transaction, and only one gateway changes them at a
 * time, so that every call is added once.
 */
export async function sumCalls(
  db: Kysely<Tables>,
  { end, limit, maxLabels, linesOf }: SumOptions,
): Promise<number> {
  // Write nothing if there are no new calls.
  if (end <= (await readWatermark(db, USAGE_MARK))) return 0;
  return await db.transaction().execute(async (transaction) => {
    const after = await takeWatermark(transaction, USAGE_MARK);
    const { last, count, ...next } = await readNext(transaction, after, end, limit);
    // The type ignores that the table may be empty.
    if (count === 0 || last === null) return 0;

    if (next.tasks > 0) await addTeamsOfTasks(transaction, after, last);
    const calls = callsAsUsage(after, last);
    const labelled =
      next.labelled > 0
        ? await boundLabels(transaction, labelledCalls(calls, linesOf), maxLabels)
        : undefined;
    await addToSums(transaction, next.firstAt, calls, labelled);
    await setWatermark(transaction, USAGE_MARK, last);
    return count;
  });
}

/**
 * Takes a call out of the sums again, before another record replaces it. The caller has taken the
 * watermark.
 */
export async function subtractCall(
  transaction: Transaction<Tables>,
  { seq, at }: { readonly seq: number; readonly at: number },
  { maxLabels, linesOf }: LabelOptions,
): Promise<void> {
  const kept = [...DIMENSIONS, "session_id", "tags"].map((name) => sql.ref(name));
  const counts = COUNTS.map((name) => sql`-${sql.ref(name)} as ${sql.ref(name)}`);
  const calls = sql`select ${sql.join([...kept, ...counts])}
    from (${callsAsUsage(seq - 1, seq)}) as summed`;
  const labelled = await boundLabels(transaction, labelledCalls(calls, linesOf), maxLabels);
  await addToSums(transaction, at, calls, labelled);
  for (const [table, time, unitMs] of PRUNED) {
    await sql`delete from ${sql.table(table)}
      where ${sql.ref(time)} = ${at - (at % unitMs)} and calls = 0`.execute(transaction);
  }
  await sql`delete from usage_totals where dimension in (${sql.join([...TOTAL_DIMENSIONS])})
    and hour = ${at - (at % HOUR_MS)} and calls = 0`.execute(transaction);
}

/** `firstAt`: Unix ms of the earliest call. */
async function addToSums(
  transaction: Transaction<Tables>,
  firstAt: number,
  calls: RawBuilder<unknown>,
  labelled: RawBuilder<unknown> | undefined,
): Promise<void> {
  await addSums(transaction, "usage_hours", namedAs(DIMENSIONS), calls);
  await addToKeys(transaction, calls);
  if (labelled !== undefined) await addSums(transaction, "usage_labels", LABEL_KEY, labelled);
  await addLate(transaction, firstAt, calls, labelled);
}

/**
 * The next calls, and which further steps they need: each step reads all of them again, and most
 * calls have no label and are no task.
 */
async function readNext(
  transaction: Transaction<Tables>,
  after: number,
  end: number,
  limit: number,
) {
  const next = transaction
    .selectFrom("calls")
    .select(["seq", "at", "endpoint", "session_id", "tags"])
    .where("seq", ">", after)
    .where("seq", "<=", end)
    .orderBy("seq")
    .limit(limit);
  return await transaction
    .selectFrom(next.as("next"))
    .select(({ fn, cast }) => [
      fn.max("seq").as("last"),
      fn.min("at").as("firstAt"),
      cast<number>(fn.countAll(), "bigint").as("count"),
      sql<number>`coalesce(max(case when endpoint = 'videos' then 1 else 0 end), 0)`.as("tasks"),
      sql<number>`coalesce(max(case when session_id is null and tags is null then 0 else 1 end), 0)`.as(
        "labelled",
      ),
    ])
    .executeTakeFirstOrThrow();
}

/**
 * Deletes the oldest hour of the sums if it ended before `before` (Unix ms);
 * false if there is none. Reports read the rest of its day by the hour, so the sum of the day goes
 * with its first hour.
 */
export async function pruneUsage(db: Kysely<Tables>, before: number): Promise<boolean> {
  return await db.transaction().execute(async (transaction) => {
    const last = before - HOUR_MS;
    const pruned = [];
    for (const [table, time] of PRUNED) {
      const { rows } = await sql`delete from ${sql.table(table)}
        where ${sql.ref(time)} <= ${last}
          and ${sql.ref(time)} = (select min(${sql.ref(time)}) from ${sql.table(table)})
        returning 1`.execute(transaction);
      pruned.push(rows.length > 0);
    }
    for (const dimension of TOTAL_DIMENSIONS) {
      const oldest = sql`(select min(hour) from usage_totals where dimension = ${dimension})`;
      await sql`delete from usage_totals
        where dimension = ${dimension} and hour <= ${last} and hour = ${oldest}`.execute(
        transaction,
      );
    }
    if (!pruned.includes(true)) return false;
    await takeWatermark(transaction, PRUNED_MARK);
    await setWatermark(transaction, PRUNED_MARK, before);
    return true;
  });
}

const PRUNED = [
  ["usage_hours", "hour", HOUR_MS],
  ["usage_labels", "hour", HOUR_MS],
  ["usage_days", "day", DAY_MS],
  ["usage_label_days", "day", DAY_MS],
  ["usage_label_owners", "day", DAY_MS],
] as const;

/** The sum of a key may exceed the range of integers only if it exceeds that of accounts. */
async function addToKeys(transaction: Transaction<Tables>, calls: RawBuilder<unknown>) {
  await sql`insert into key_usage (key_id, calls, cost)
    select key_id, sum(calls), cast(sum(cost) as bigint) from (${calls}) as added where true
    group by key_id order by key_id
    on conflict (key_id) do update set ${addedTo("key_usage", ["calls", "cost"])}`.execute(
    transaction,
  );
}
