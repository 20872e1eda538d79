import { setImmediate as nextTurn } from "node:timers/promises";
import { sql, type Kysely, type RawBuilder } from "kysely";
import { GatewayError, invalid } from "#core/error.ts";
import type {
  UsageDimension,
  UsageGroup,
  UsageQuery,
  UsageReport,
  UsageReports,
  UsageSum,
} from "#core/usage-report.ts";
import { Semaphore } from "#lib/semaphore.ts";
import type { Tables } from "../tables.ts";
import { COUNTS, HOUR_MS } from "../tables/usage-hours.ts";
import { callsAsUsage, USAGE_MARK } from "./usage-sums.ts";
import { readWatermark } from "./watermark.ts";

const DAY_MS = 24 * HOUR_MS;
/** Rows per aggregation query: on SQLite, requests wait meanwhile. */
const SLICE_ROWS = 4_000;
const MAX_SLICES = 500;
/** Slices of calls that are not aggregated yet. */
const MAX_PENDING_SLICES = 5;
const MAX_GROUPS = 1_000;
const MAX_REPORTS = 2;
const MAX_WAITING = 32;
const MAX_TRIES = 5;

/** The totals of one group, in the order of `COUNTS`. */
type Counts = number[];
type Row = Readonly<Record<string, number | string>>;

/**
 * Adds up one slice at a time and yields to other work after each. Meanwhile
 * calls may move from the journal to the sums and be counted twice or not at
 * all: then the report restarts.
 */
export function createUsageReports(db: Kysely<Tables>): UsageReports {
  const places = new Semaphore(MAX_REPORTS, MAX_WAITING);

  return {
    async report(query) {
      using place = await places.enter();
      if (place === undefined) throw busy();
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const summedTo = await readWatermark(db, USAGE_MARK);
        const report = await addUp(db, query, summedTo);
        if ((await readWatermark(db, USAGE_MARK)) === summedTo) return report;
      }
      throw busy();
    },
  };
}

async function addUp(
  db: Kysely<Tables>,
  query: UsageQuery,
  summedTo: number,
): Promise<UsageReport> {
  const groups = new Map<string, { of: UsageGroup["of"]; counts: Counts }>();
  const add = async (source: RawBuilder<unknown>): Promise<void> => {
    for (const row of await groupRows(db, source, query)) {
      const of = Object.fromEntries(query.by.map((each) => [each, valueOf(each, row)]));
      const name = JSON.stringify(Object.values(of));
      const { counts } = groups.get(name) ?? { counts: COUNTS.map(() => 0) };
      groups.set(name, { of, counts: counts.map((sum, i) => sum + Number(row[COUNTS[i] ?? ""])) });
    }
    if (groups.size > MAX_GROUPS) throw tooMany("by", `gives more than ${MAX_GROUPS} groups`);
    await nextTurn();
  };

  await addHours(db, query, add);
  const isComplete = await addPending(db, summedTo, add);
  const total = COUNTS.map(() => 0);
  for (const { counts } of groups.values())
    counts.forEach((sum, i) => (total[i] = (total[i] ?? 0) + sum));
  return {
    groups: [...groups.values()].map(({ of, counts }) => ({ of, sum: toSum(counts) })),
    total: toSum(total),
    isComplete,
  };
}

type Add = (source: RawBuilder<unknown>) => Promise<void>;

/** A slice ends at the end of an hour, unless one hour exceeds a slice. */
async function addHours(db: Kysely<Tables>, query: UsageQuery, add: Add): Promise<void> {
  const { to, userId, keyId } = query;
  let { from } = query;
  for (let slices = 0; from < to; slices++) {
    if (slices === MAX_SLICES) throw tooMany("from", "covers too many calls for one report");
    let ahead = db
      .selectFrom("usage_hours")
      .select("hour")
      .where("hour", ">=", from)
      .where("hour", "<", to)
      .orderBy("hour")
      .offset(SLICE_ROWS)
      .limit(1);
    // Only conditions that an index covers, so that the query reads no more rows than it counts.
    if (userId !== undefined) ahead = ahead.where("user_id", "=", userId);
    else if (keyId !== undefined) ahead = ahead.where("key_id", "=", keyId);
    const next = (await ahead.executeTakeFirst())?.hour;
    const until = next === undefined ? to : Math.max(next, from + HOUR_MS);
    await add(sql`select * from usage_hours where hour >= ${from} and hour < ${until}`);
    from = until;
  }
}

/** Adds the calls after the last aggregated one; false if they are too many. */
async function addPending(db: Kysely<Tables>, summedTo: number, add: Add): Promise<boolean> {
  let after = summedTo;
  for (let slices = 0; slices < MAX_PENDING_SLICES; slices++) {
    const rows = await db
      .selectFrom("calls")
      .select("seq")
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(SLICE_ROWS)
      .execute();
    const last = rows.at(-1)?.seq;
    if (last === undefined) return true;
    await add(callsAsUsage(after, last));
    after = last;
    if (rows.length < SLICE_ROWS) return true;
  }
  return false;
}

async function groupRows(
  db: Kysely<Tables>,
  source: RawBuilder<unknown>,
  query: UsageQuery,
): Promise<readonly Row[]> {
  const columns = columnsOf(query.by);
  // Sums as double precision, because sums of money may exceed the integer range.
  const sums = COUNTS.map(
    (name) => sql`cast(sum(${sql.ref(name)}) as double precision) as ${sql.ref(name)}`,
  );
  const by = columns.map(({ value }) => value);
  const { rows } = await sql<Row>`select
      ${sql.join([...columns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`), ...sums])}
    from (${source}) as used where ${sql.join(conditionsOf(query), sql` and `)}
    ${by.length === 0 ? sql`having count(*) > 0` : sql`group by ${sql.join(by)}`}`.execute(db);
  return rows;
}

function conditionsOf({ from, to, userId, keyId, model, channel }: UsageQuery) {
  return [
    sql`hour >= ${from} and hour < ${to}`,
    ...(userId === undefined ? [] : [sql`user_id = ${userId}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(model === undefined ? [] : [sql`model = ${model}`]),
    ...(channel === undefined ? [] : [sql`channel = ${channel}`]),
  ];
}

/** Months are built from days, because the databases differ in calendar functions. */
function columnsOf(by: readonly UsageDimension[]) {
  const isTimed = by.some((each) => each === "hour" || each === "day" || each === "month");
  const time = by.includes("hour") ? sql`hour` : sql`hour - hour % ${sql.lit(DAY_MS)}`;
  return [
    ...(isTimed ? [{ name: "time", value: time }] : []),
    ...by.flatMap((each) => {
      const name = COLUMNS[each];
      return name === undefined ? [] : [{ name, value: sql`${sql.ref(name)}` }];
    }),
  ];
}

const COLUMNS: Partial<Record<UsageDimension, string>> = {
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel",
};

function valueOf(dimension: UsageDimension, row: Row): number | string | null {
  const time = Number(row["time"]);
  switch (dimension) {
    case "hour":
      return time;
    case "day":
      return time - (time % DAY_MS);
    case "month": {
      const day = new Date(time);
      return Date.UTC(day.getUTCFullYear(), day.getUTCMonth());
    }
    default: {
      const value = row[COLUMNS[dimension] ?? ""] ?? null;
      return value === "" ? null : value;
    }
  }
}

function toSum(counts: Counts): UsageSum {
  const [
    calls = 0,
    failedCalls = 0,
    inputTokens = 0,
    cachedInputTokens = 0,
    cacheWriteTokens = 0,
    audioInputTokens = 0,
    outputTokens = 0,
    reasoningTokens = 0,
    audioOutputTokens = 0,
    cost = 0,
    imageInputTokens = 0,
    imageOutputTokens = 0,
    images = 0,
    durationMs = 0,
    characters = 0,
    searches = 0,
    referenceImages = 0,
  ] = counts;
  return {
    calls,
    failedCalls,
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    audioInputTokens,
    outputTokens,
    reasoningTokens,
    audioOutputTokens,
    cost,
    imageInputTokens,
    imageOutputTokens,
    images,
    durationMs,
    characters,
    searches,
    referenceImages,
  };
}

function tooMany(param: string, why: string): GatewayError {
  return invalid(param, `'${param}' ${why}. Use fewer dimensions, or a shorter time span.`);
}

function busy(): GatewayError {
  return new GatewayError("overloaded", "Too many usage reports are running. Retry in 1 s.", {
    retryAfterMs: 1_000,
  });
}
