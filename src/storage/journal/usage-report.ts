import { setImmediate as nextTurn } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
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
import type { Semaphore } from "#lib/semaphore.ts";
import { countOpenCalls } from "../accounts/count-open-calls.ts";
import type { Tables } from "../tables.ts";
import type { Engine } from "../database/engine.ts";
import { COUNTS, DAY_MS } from "../tables/usage-hours.ts";
import { namesIn } from "./names.ts";
import { LABEL_KINDS, labelledCalls, labelOf, type LabelKind } from "./usage-labels.ts";
import {
  DIMENSION_COLUMNS,
  filtersOf,
  labelsOf,
  slicesOf,
  type PartQuery,
} from "./usage-sources.ts";
import { FOLDED_MARK } from "./fold-usage.ts";
import { PRUNED_MARK, USAGE_MARK } from "./usage-mark.ts";
import { callsAsUsage } from "./usage-sums.ts";
import { readWatermark } from "./watermark.ts";

const MAX_SLICES = 500;
/** Calls that a report adds to the sums before it reads them. */
const SUMMED_CALLS = 1_000;
const MAX_SUMMED_BATCHES = 10;
/** Calls that a report reads from the journal, since adding few to the sums takes longer. */
const PENDING_CALLS = 1_000;
const MAX_GROUPS = 1_000;
/** Groups of a report that keeps only the dearest. */
const MAX_RANKED_GROUPS = 50_000;
const MAX_TRIES = 5;

/** The totals of one group, in the order of `COUNTS`. */
type Counts = number[];
type Row = Readonly<Record<string, number | string>>;

interface UsageReportDeps {
  readonly db: Kysely<Tables>;
  readonly linesOf: Engine["linesOf"];
  /** Reports and sums of this process take turns, so that no report restarts because of them. */
  readonly turns: Semaphore;
  /** No call with a number up to this one can still appear; undefined if it is unknown now. */
  findCallsEnd(): Promise<number | undefined>;
  /** Adds at most `limit` calls with numbers up to `end` to the sums; returns their number. */
  sumUpTo(end: number, limit: number): Promise<number>;
}

/**
 * Adds up one slice at a time and yields to other work after each. Meanwhile
 * another gateway may move calls from the journal to the sums, and they would be
 * counted twice or not at all: then the report restarts.
 */
export function createUsageReports(deps: UsageReportDeps): UsageReports {
  const { db, linesOf, turns } = deps;
  return {
    async report(query) {
      using turn = await turns.enter();
      if (turn === undefined) throw busy();
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        await sumWaitingCalls(deps);
        const marks = await readMarks(db);
        const report = await addUp({ db, linesOf, ...marks }, query);
        if (isDeepStrictEqual(await readMarks(db), marks)) return report;
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

/** Leaves few enough calls for `addPending`, unless calls end faster than they are added. */
async function sumWaitingCalls(deps: UsageReportDeps): Promise<void> {
  const { db, findCallsEnd, sumUpTo } = deps;
  const waiting = await pendingCalls(db, await readWatermark(db, USAGE_MARK));
  if (waiting.length <= PENDING_CALLS) return;
  try {
    const end = await findCallsEnd();
    if (end === undefined) return;
    for (let batches = 0; batches < MAX_SUMMED_BATCHES; batches++)
      if ((await sumUpTo(end, SUMMED_CALLS)) < SUMMED_CALLS) return;
  } catch {
    // The job that sums calls reports the same failure, and the report says that it is incomplete.
  }
}

/** The numbers of the calls after the last aggregated one, one more than a report adds up. */
async function pendingCalls(db: Kysely<Tables>, summedTo: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom("calls")
    .select("seq")
    .where("seq", ">", summedTo)
    .orderBy("seq")
    .limit(PENDING_CALLS + 1)
    .execute();
  return rows.map(({ seq }) => seq);
}

interface Marks {
  /** The last call that the sums have. */
  readonly summedTo: number;
  /** The end of the hours that the sums of days have. */
  readonly foldedTo: number;
  readonly prunedTo: number;
}

interface Stored extends Marks {
  readonly db: Kysely<Tables>;
  readonly linesOf: Engine["linesOf"];
}

async function readMarks(db: Kysely<Tables>): Promise<Marks> {
  return {
    summedTo: await readWatermark(db, USAGE_MARK),
    foldedTo: await readWatermark(db, FOLDED_MARK),
    prunedTo: await readWatermark(db, PRUNED_MARK),
  };
}

async function addUp(stored: Stored, query: UsageQuery): Promise<UsageReport> {
  const kind = labelKindOf(query);
  const { groups, others, isComplete } = await dearestGroups(stored, query, kind);
  // A call with two tags is in two groups, and one without is in none.
  const isEachOnce = kind === undefined || query[kind] !== undefined;
  const whole = isEachOnce
    ? [...groups.map(({ counts }) => counts), ...others]
    : countsOf((await collect(stored, { ...query, by: [] }, undefined)).groups);
  return {
    groups: groups.map(({ of, counts }) => ({ of, sum: toSum(counts) })),
    ...(others.length > 0 && { others: toSum(totalOf(others)) }),
    total: toSum(totalOf(whole)),
    isComplete,
  };
}

interface DearestGroups extends Collected {
  /** Counts outside these groups; empty if there are none. */
  readonly others: readonly Counts[];
}

/** All groups, or the dearest ones up to the limit. */
async function dearestGroups(
  stored: Stored,
  query: UsageQuery,
  kind: LabelKind | undefined,
): Promise<DearestGroups> {
  const { limit } = query;
  if (limit !== undefined && kind !== undefined && query[kind] === undefined)
    return await dearestLabels(stored, query, kind, limit);
  const { groups, isComplete } = await collect(stored, query, kind);
  if (limit === undefined || groups.length <= limit) return { groups, others: [], isComplete };
  const dearest = groups.toSorted(dearestFirst);
  return { groups: dearest.slice(0, limit), others: countsOf(dearest.slice(limit)), isComplete };
}

/**
 * Sessions are many: two counts of each rank them, and the other counts are read of the dearest
 * alone.
 */
async function dearestLabels(
  stored: Stored,
  query: UsageQuery,
  kind: LabelKind,
  limit: number,
): Promise<DearestGroups> {
  const ranked = await collect(stored, query, kind, RANKING);
  const dearest = ranked.groups.toSorted(dearestFirst).slice(0, limit);
  const labels = [...new Set(dearest.map(({ of }) => labelOf(kind, String(of[kind] ?? ""))))];
  if (labels.length === 0) return { ...ranked, others: [] };
  const { groups: all, isComplete } = await collect(stored, { ...query, labels }, kind);
  const names = new Set(dearest.map(nameOf));
  const groups = all.filter((each) => names.has(nameOf(each))).toSorted(dearestFirst);
  if (groups.length === ranked.groups.length) return { groups, others: [], isComplete };
  const whole = totalOf(countsOf((await collect(stored, { ...query, by: [] }, kind)).groups));
  const shown = totalOf(countsOf(groups));
  return { groups, others: [whole.map((sum, i) => sum - (shown[i] ?? 0))], isComplete };
}

const RANKING: readonly (typeof COUNTS)[number][] = ["calls", "cost"];

function nameOf({ of }: CountedGroup): string {
  return Object.values(of).join("\u0000");
}

interface CountedGroup {
  readonly of: UsageGroup["of"];
  readonly counts: Counts;
}

const COST = COUNTS.indexOf("cost");

function dearestFirst({ counts: one }: CountedGroup, { counts: other }: CountedGroup): number {
  return (other[COST] ?? 0) - (one[COST] ?? 0) || (other[0] ?? 0) - (one[0] ?? 0);
}

function countsOf(groups: readonly CountedGroup[]): readonly Counts[] {
  return groups.map(({ counts }) => counts);
}

function totalOf(all: readonly Counts[]): Counts {
  const total: Counts = COUNTS.map(() => 0);
  for (const counts of all) counts.forEach((sum, i) => (total[i] = (total[i] ?? 0) + sum));
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

interface Collected {
  readonly groups: readonly CountedGroup[];
  readonly isComplete: boolean;
}

/** `counted`: the counts to read; others are zero. */
async function collect(
  stored: Stored,
  query: PartQuery,
  kind: LabelKind | undefined,
  counted: typeof RANKING = COUNTS,
): Promise<Collected> {
  const groups = new Map<string, CountedGroup>();
  const maxGroups = query.limit === undefined ? MAX_GROUPS : MAX_RANKED_GROUPS;
  const add: Add = async (source) => {
    for (const row of await groupRows(stored.db, source, { query, kind, counted })) {
      const values = query.by.map((each) => valueOf(each, row));
      const name = values.join("\u0000");
      const known = groups.get(name);
      if (known === undefined) {
        const of = Object.fromEntries(query.by.map((each, i) => [each, values[i] ?? null]));
        groups.set(name, { of, counts: COUNTS.map((count) => Number(row[count] ?? 0)) });
      } else {
        COUNTS.forEach(
          (count, i) => (known.counts[i] = (known.counts[i] ?? 0) + Number(row[count] ?? 0)),
        );
      }
    }
    if (groups.size > maxGroups) throw tooMany("by", `gives more than ${maxGroups} groups`);
    await nextTurn();
  };

  let slices = 0;
  for await (const slice of slicesOf(stored, query, kind)) {
    if (slices++ === MAX_SLICES) throw tooMany("from", "covers too many calls for one report");
    await add(slice);
  }
  const isComplete = await addPending(stored, query, kind, add);
  return { groups: [...groups.values()], isComplete };
}

type Add = (source: RawBuilder<unknown>) => Promise<void>;

/** Adds the calls after the last aggregated one; false if they are too many. */
async function addPending(
  { db, linesOf, summedTo }: Stored,
  query: UsageQuery,
  kind: LabelKind | undefined,
  add: Add,
): Promise<boolean> {
  const pending = await pendingCalls(db, summedTo);
  const last = pending.slice(0, PENDING_CALLS).at(-1);
  if (last === undefined) return true;
  const calls = callsAsUsage(summedTo, last);
  const source = kind === undefined ? calls : labelledCalls(calls, linesOf);
  await add(sql`select * from (${source}) as pending
    where hour >= ${query.from} and hour < ${query.to}`);
  return pending.length <= PENDING_CALLS;
}

interface Grouping {
  readonly query: PartQuery;
  readonly kind: LabelKind | undefined;
  readonly counted: typeof RANKING;
}

async function groupRows(
  db: Kysely<Tables>,
  source: RawBuilder<unknown>,
  { query, kind, counted }: Grouping,
): Promise<readonly Row[]> {
  const columns = columnsOf(query.by);
  // Sums as double precision, because sums of money may exceed the integer range.
  const sums = counted.map(
    (name) => sql`cast(sum(${sql.ref(name)}) as double precision) as ${sql.ref(name)}`,
  );
  const by = columns.map(({ value }) => value);
  const { rows } = await sql<Row>`select
      ${sql.join([...columns.map(({ name, value }) => sql`${value} as ${sql.ref(name)}`), ...sums])}
    from (${source}) as used where ${conditionsOf(query, kind)}
    ${by.length === 0 ? sql`having count(*) > 0` : sql`group by ${sql.join(by)}`}`.execute(db);
  return rows;
}

function conditionsOf(query: PartQuery, kind: LabelKind | undefined) {
  const conditions = [
    ...filtersOf(query).map(([column, wanted]) => sql`${sql.ref(column)} = ${wanted}`),
    ...(kind === undefined ? [] : [labelsOf(query, kind)]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Months are built from days, because the databases differ in calendar functions. */
function columnsOf(by: readonly UsageDimension[]) {
  const isTimed = by.some((each) => each === "hour" || each === "day" || each === "month");
  const time = by.includes("hour") ? sql`hour` : sql`hour - hour % ${sql.lit(DAY_MS)}`;
  return [
    ...(isTimed ? [{ name: "time", value: time }] : []),
    ...by.flatMap((each) => {
      const name = DIMENSION_COLUMNS[each];
      return name === undefined ? [] : [{ name, value: sql`${sql.ref(name)}` }];
    }),
  ];
}

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
      const value = row[DIMENSION_COLUMNS[dimension] ?? ""] ?? null;
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
