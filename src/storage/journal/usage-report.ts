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
import { countOpenCalls } from "../accounts/count-open-calls.ts";
import type { Tables } from "../tables.ts";
import { COUNTS, HOUR_MS } from "../tables/usage-hours.ts";
import { namesIn } from "./names.ts";
import { LABEL_KINDS, labelOf, readLabels, type LabelKind, type LabelRow } from "./usage-labels.ts";
import { callsAsUsage, USAGE_MARK } from "./usage-sums.ts";
import { readWatermark } from "./watermark.ts";

const DAY_MS = 24 * HOUR_MS;
/** Rows per aggregation query: on SQLite, requests wait meanwhile. */
const SLICE_ROWS = 4_000;
const MAX_SLICES = 500;
/** Slices of calls that are not aggregated yet. */
const MAX_PENDING_SLICES = 5;
const MAX_GROUPS = 1_000;
/** Groups of a report that keeps only the dearest. */
const MAX_RANKED_GROUPS = 50_000;
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

    async namesOf(groups) {
      const idsOf = (dimension: UsageDimension): readonly number[] =>
        groups.map(({ of }) => of[dimension]).filter((id) => typeof id === "number");
      const [user, key, team, group] = await Promise.all([
        namesIn(db, "users", idsOf("user")),
        namesIn(db, "keys", idsOf("key")),
        namesIn(db, "teams", idsOf("team")),
        namesIn(db, "groups", idsOf("group")),
      ]);
      return { user, key, team, group };
    },

    countOpen: (owner, before) => countOpenCalls(db, owner, before),
  };
}

async function addUp(
  db: Kysely<Tables>,
  query: UsageQuery,
  summedTo: number,
): Promise<UsageReport> {
  const kind = labelKindOf(query);
  const { groups, isComplete } = await collect(db, query, kind, summedTo);
  // A call with two tags is in two groups, and one without is in none.
  const isEachOnce = kind === undefined || query[kind] !== undefined;
  const whole = isEachOnce
    ? groups
    : (await collect(db, { ...query, by: [] }, undefined, summedTo)).groups;
  const { limit = groups.length } = query;
  const dearest = limit < groups.length ? groups.toSorted(dearestFirst) : groups;
  const rest = dearest.slice(limit);
  return {
    groups: dearest.slice(0, limit).map(({ of, counts }) => ({ of, sum: toSum(counts) })),
    ...(rest.length > 0 && { others: toSum(totalOf(rest)) }),
    total: toSum(totalOf(whole)),
    isComplete,
  };
}

interface CountedGroup {
  readonly of: UsageGroup["of"];
  readonly counts: Counts;
}

const COST = COUNTS.indexOf("cost");

function dearestFirst({ counts: one }: CountedGroup, { counts: other }: CountedGroup): number {
  return (other[COST] ?? 0) - (one[COST] ?? 0) || (other[0] ?? 0) - (one[0] ?? 0);
}

function totalOf(groups: readonly CountedGroup[]): Counts {
  const total: Counts = COUNTS.map(() => 0);
  for (const { counts } of groups) counts.forEach((sum, i) => (total[i] = (total[i] ?? 0) + sum));
  return total;
}

/** Undefined for a report that needs no labels. */
function labelKindOf(query: UsageQuery): LabelKind | undefined {
  const [kind, other] = LABEL_KINDS.filter(
    (each) => query.by.includes(each) || query[each] !== undefined,
  );
  if (other === undefined) return kind;
  throw invalid("by", "A report is by 'tag' or by 'session', not by both.");
}

async function collect(
  db: Kysely<Tables>,
  query: UsageQuery,
  kind: LabelKind | undefined,
  summedTo: number,
): Promise<{ readonly groups: readonly CountedGroup[]; readonly isComplete: boolean }> {
  const groups = new Map<string, CountedGroup>();
  const maxGroups = query.limit === undefined ? MAX_GROUPS : MAX_RANKED_GROUPS;
  const add: Add = async (rows) => {
    for (const row of rows) {
      const of = Object.fromEntries(query.by.map((each) => [each, valueOf(each, row)]));
      const name = JSON.stringify(Object.values(of));
      const { counts } = groups.get(name) ?? { counts: COUNTS.map(() => 0) };
      groups.set(name, { of, counts: counts.map((sum, i) => sum + Number(row[COUNTS[i] ?? ""])) });
    }
    if (groups.size > maxGroups) throw tooMany("by", `gives more than ${maxGroups} groups`);
    await nextTurn();
  };

  await addHours(db, query, kind, add);
  const isComplete = await addPending(db, query, kind, summedTo, add);
  return { groups: [...groups.values()], isComplete };
}

type Add = (rows: readonly Row[]) => Promise<void>;

/** A slice ends at the end of an hour, unless one hour exceeds a slice. */
async function addHours(
  db: Kysely<Tables>,
  query: UsageQuery,
  kind: LabelKind | undefined,
  add: Add,
): Promise<void> {
  const { to, userId, keyId, teamId } = query;
  const table = kind === undefined ? "usage_hours" : "usage_labels";
  const label = exactLabel(query, kind);
  let { from } = query;
  for (let slices = 0; from < to; slices++) {
    if (slices === MAX_SLICES) throw tooMany("from", "covers too many calls for one report");
    let ahead = db
      .selectFrom(table)
      .select("hour")
      .where("hour", ">=", from)
      .where("hour", "<", to)
      .orderBy("hour")
      .offset(SLICE_ROWS)
      .limit(1);
    // Only conditions that an index covers, so that the query reads no more rows than it counts.
    if (label !== undefined) ahead = ahead.where(sql.ref("label"), "=", label);
    else if (keyId !== undefined) ahead = ahead.where("key_id", "=", keyId);
    else if (kind === undefined && userId !== undefined)
      ahead = ahead.where("user_id", "=", userId);
    else if (kind === undefined && teamId !== undefined)
      ahead = ahead.where("team_id", "=", teamId);
    const next = (await ahead.executeTakeFirst())?.hour;
    const until = next === undefined ? to : Math.max(next, from + HOUR_MS);
    const source = sql`select * from ${sql.table(table)} where hour >= ${from} and hour < ${until}`;
    await add(await groupRows(db, source, query, kind));
    from = until;
  }
}

/** Adds the calls after the last aggregated one; false if they are too many. */
async function addPending(
  db: Kysely<Tables>,
  query: UsageQuery,
  kind: LabelKind | undefined,
  summedTo: number,
  add: Add,
): Promise<boolean> {
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
    const calls = callsAsUsage(after, last);
    await add(
      kind === undefined
        ? await groupRows(db, calls, query, kind)
        : (await readLabels(db, calls)).filter((row) => isMeant(row, query, kind)).map(asRow),
    );
    after = last;
    if (rows.length < SLICE_ROWS) return true;
  }
  return false;
}

async function groupRows(
  db: Kysely<Tables>,
  source: RawBuilder<unknown>,
  query: UsageQuery,
  kind: LabelKind | undefined,
): Promise<readonly Row[]> {
  const columns = columnsOf(query.by);
  // Sums as double precision, because sums of money may exceed the integer range.
  const sums = COUNTS.map(
    (name) => sql`cast(sum(${sql.ref(name)}) as double precision) as ${sql.ref(name)}`,
  );
  const by = columns.map(({ value }) => value);
  const { rows } = await sql<Row>`select
      ${sql.join([...columns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`), ...sums])}
    from (${source}) as used where ${sql.join(conditionsOf(query, kind), sql` and `)}
    ${by.length === 0 ? sql`having count(*) > 0` : sql`group by ${sql.join(by)}`}`.execute(db);
  return rows;
}

const FILTERS = [
  ["userId", "user_id"],
  ["keyId", "key_id"],
  ["teamId", "team_id"],
  ["groupId", "group_id"],
  ["model", "model"],
  ["channel", "channel"],
  ["endpoint", "endpoint"],
] as const;

function conditionsOf(query: UsageQuery, kind: LabelKind | undefined) {
  const label = exactLabel(query, kind);
  const filters = FILTERS.flatMap(([name, column]) => {
    const wanted = query[name];
    return wanted === undefined ? [] : [sql`${sql.ref(column)} = ${wanted}`];
  });
  return [
    sql`hour >= ${query.from} and hour < ${query.to}`,
    ...filters,
    ...(label === undefined ? [] : [sql`label = ${label}`]),
    // Not a range, for which SQLite would read the labels of all hours.
    ...(label === undefined && kind !== undefined
      ? [sql`substr(label, 1, ${sql.lit(kind.length + 1)}) = ${`${kind}:`}`]
      : []),
  ];
}

/** The same conditions for rows that are not in the database. */
function isMeant(row: LabelRow, query: UsageQuery, kind: LabelKind): boolean {
  const label = exactLabel(query, kind);
  return (
    row.hour >= query.from &&
    row.hour < query.to &&
    FILTERS.every(([name, column]) => query[name] === undefined || query[name] === row[column]) &&
    (label === undefined ? row.label.startsWith(`${kind}:`) : row.label === label)
  );
}

function asRow(row: LabelRow): Row {
  return { ...row, time: row.hour };
}

function exactLabel(query: UsageQuery, kind: LabelKind | undefined): string | undefined {
  const name = kind && query[kind];
  return kind === undefined || name === undefined ? undefined : labelOf(kind, name);
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
  team: "team_id",
  group: "group_id",
  model: "model",
  channel: "channel",
  endpoint: "endpoint",
  tag: "label",
  session: "label",
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
    case "tag":
    case "session":
      return String(row["label"]).slice(dimension.length + 1) || null;
    case "team":
    case "group":
      return row[`${dimension}_id`] || null;
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
