import { sql, type Kysely, type RawBuilder } from "kysely";
import type { UsageDimension, UsageQuery } from "#core/usage-report.ts";
import type { Tables } from "../tables.ts";
import {
  COUNTS,
  DAY_MS,
  HOUR_MS,
  OWNER_DIMENSIONS,
  totalColumn,
  TOTAL_DIMENSIONS,
  type TotalDimension,
} from "../tables/usage-hours.ts";
import { labelOf, type LabelKind } from "./usage-labels.ts";

/** Rows of one aggregation query: on SQLite, requests wait meanwhile. */
const SLICE_ROWS = 4_000;
/** Hours or days that one query names. */
const MAX_LISTED = 400;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A table with the sums of a part of the time. */
interface Source extends Span {
  readonly table: keyof Tables;
  readonly time: "hour" | "day";
  /** Its rows in the columns of hours. */
  readonly columns: RawBuilder<unknown>;
  /** Conditions that an index covers, so that no query reads more rows than it counts. */
  readonly narrow: readonly RawBuilder<unknown>[];
  /** True if the index has other columns after the time: each time is looked up by itself. */
  readonly isListed: boolean;
}

/** Columns of filters, in the order in which an index narrows the most. */
const FILTERS = [
  ["keyId", "key_id"],
  ["userId", "user_id"],
  ["teamId", "team_id"],
  ["groupId", "group_id"],
  ["model", "model"],
  ["channel", "channel"],
  ["endpoint", "endpoint"],
] as const;

export const DIMENSION_COLUMNS: Partial<Record<UsageDimension, string>> = {
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

/** A report, or the part of one with some labels. */
export interface PartQuery extends UsageQuery {
  readonly labels?: readonly string[];
}

interface StoredSums {
  readonly db: Kysely<Tables>;
  /** The end of the hours that the sums of days and the totals have. */
  readonly foldedTo: number;
  /** Of the day of this time, a part may have been deleted. */
  readonly prunedTo: number;
}

/**
 * The stored sums of a report in slices of a few thousand rows. Whole days are read from the sums
 * of days, unless the report is by the hour.
 */
export async function* slicesOf(
  stored: StoredSums,
  query: PartQuery,
  kind: LabelKind | undefined,
): AsyncGenerator<RawBuilder<unknown>> {
  for (const source of await sourcesOf(stored, query, kind)) {
    if (source.from < source.to) yield* slices(stored.db, source);
  }
}

async function sourcesOf(
  stored: StoredSums,
  query: PartQuery,
  kind: LabelKind | undefined,
): Promise<readonly Source[]> {
  const { from, to } = query;
  const hoursIn = (span: Span): readonly Source[] =>
    kind === undefined
      ? hourSources(query, span, stored.foldedTo)
      : [{ ...labelSource(query, kind, "hour"), ...span }];
  // Totals of endpoints have few rows for a whole day, too.
  const isByHour =
    query.by.includes("hour") || (kind === undefined && totalOf(query) === "endpoint");
  const days = isByHour ? undefined : await wholeDays(stored, query, kind);
  if (days === undefined) return hoursIn({ from, to });
  const day = kind === undefined ? daySource(query) : labelSource(query, kind, "day");
  return [
    ...hoursIn({ from, to: days.from }),
    { ...day, from: days.from, to: days.to },
    ...hoursIn({ from: days.end, to }),
  ];
}

interface Days extends Span {
  /** The end of the hours that these sums have. */
  readonly end: number;
}

/**
 * The days of the query that the sums of days can replace: all their hours that the sums have are
 * in the query.
 */
async function wholeDays(
  { db, foldedTo, prunedTo }: StoredSums,
  { from, to }: UsageQuery,
  kind: LabelKind | undefined,
): Promise<Days | undefined> {
  const table = kind === undefined ? "usage_hours" : "usage_labels";
  const findFirst = async (after: number, before: number): Promise<number | undefined> => {
    const hours = db.selectFrom(table).select("hour").where("hour", ">=", after);
    const row = await hours.where("hour", "<", before).orderBy("hour").limit(1).executeTakeFirst();
    return row?.hour;
  };
  const isFirstWhole = (await findFirst(dayOf(from), from)) === undefined;
  const first = Math.max(isFirstWhole ? dayOf(from) : nextDay(from), nextDay(prunedTo));
  if (to >= foldedTo) {
    const days = { from: first, to: nextDay(foldedTo), end: foldedTo };
    return days.from < days.to ? days : undefined;
  }
  const isLastWhole = (await findFirst(to, Math.min(nextDay(to), foldedTo))) === undefined;
  const end = isLastWhole ? nextDay(to) : dayOf(to);
  return first < end ? { from: first, to: end, end } : undefined;
}

/** The start of the day, or of the next one if it is not a start. */
function nextDay(time: number): number {
  return dayOf(time + DAY_MS - 1);
}

function dayOf(time: number): number {
  return time - (time % DAY_MS);
}

function daySource(query: UsageQuery): Omit<Source, keyof Span> {
  return {
    table: "usage_days",
    time: "day",
    columns: sql`day as hour, usage_days.*`,
    narrow: indexedFilter(query),
    isListed: false,
  };
}

function hourSources(query: UsageQuery, { from, to }: Span, foldedTo: number): readonly Source[] {
  const total = totalOf(query);
  const hours: Source = {
    table: "usage_hours",
    time: "hour",
    columns: sql`*`,
    narrow: indexedFilter(query),
    isListed: false,
    from,
    to,
  };
  if (total === undefined) return [hours];
  return [
    { ...totalSource(query, total), from, to: Math.min(to, foldedTo) },
    { ...hours, from: Math.max(from, foldedTo) },
  ];
}

function totalSource(query: UsageQuery, total: TotalDimension): Omit<Source, keyof Span> {
  const column = totalColumn(total);
  const wanted = filtersOf(query).map(([, value]) => sql`${sql.ref(column)} = ${value}`);
  return {
    table: "usage_totals",
    time: "hour",
    columns: sql`hour, ${sql.ref(column)} as ${sql.ref(total)},
      ${sql.join(COUNTS.map((name) => sql.ref(name)))}`,
    narrow: [sql`dimension = ${sql.lit(total)}`, ...wanted],
    isListed: wanted.length > 0,
  };
}

/** The columns of sums that a report groups or filters by. */
function columnsUsedBy(query: UsageQuery): ReadonlySet<string> {
  const grouped = query.by.map((each) => DIMENSION_COLUMNS[each]);
  const filtered = filtersOf(query).map(([column]) => column);
  return new Set([...grouped, ...filtered].filter((column) => column !== undefined));
}

function isByOwnersAlone(query: UsageQuery): boolean {
  return [...columnsUsedBy(query)].every((column) => OF_LABEL_OWNERS.has(column));
}

const OF_LABEL_OWNERS: ReadonlySet<string> = new Set(["label", ...OWNER_DIMENSIONS]);

/** The only dimension of a report, if hours have totals by it. */
function totalOf(query: UsageQuery): TotalDimension | undefined {
  const used = columnsUsedBy(query);
  if (used.size === 0) return "endpoint";
  const [only] = used;
  return used.size > 1 ? undefined : TOTAL_DIMENSIONS.find((dimension) => dimension === only);
}

function labelSource(
  query: PartQuery,
  kind: LabelKind,
  time: "hour" | "day",
): Omit<Source, keyof Span> {
  const isDay = time === "day";
  const ofDays = isByOwnersAlone(query) ? "usage_label_owners" : "usage_label_days";
  return {
    table: isDay ? ofDays : "usage_labels",
    time,
    columns: isDay ? sql`day as hour, ${sql.table(ofDays)}.*` : sql`*`,
    narrow: [labelsOf(query, kind)],
    isListed: true,
  };
}

/** The condition of the labels that a report has. */
export function labelsOf(query: PartQuery, kind: LabelKind): RawBuilder<unknown> {
  if (query.labels !== undefined) return sql`label in (${sql.join(query.labels)})`;
  const label = exactLabel(query, kind);
  return label === undefined
    ? sql`label >= ${`${kind}:`} and label < ${`${kind};`}`
    : sql`label = ${label}`;
}

function exactLabel(query: UsageQuery, kind: LabelKind | undefined): string | undefined {
  const name = kind && query[kind];
  return kind === undefined || name === undefined ? undefined : labelOf(kind, name);
}

export function filtersOf(query: UsageQuery): readonly (readonly [string, number | string])[] {
  return FILTERS.flatMap(([name, column]) => {
    const wanted = query[name];
    return wanted === undefined ? [] : [[column, wanted] as const];
  });
}

function indexedFilter(query: UsageQuery): readonly RawBuilder<unknown>[] {
  const [filter] = filtersOf(query).filter(([column]) => INDEXED.has(column));
  return filter === undefined ? [] : [sql`${sql.ref(filter[0])} = ${filter[1]}`];
}

const INDEXED: ReadonlySet<string> = new Set(["key_id", "user_id", "team_id"]);

/** A slice ends at the end of an hour or day, unless one has more rows than a slice. */
async function* slices(db: Kysely<Tables>, source: Source): AsyncGenerator<RawBuilder<unknown>> {
  const { table, time, columns, narrow, to } = source;
  const unitMs = time === "day" ? DAY_MS : HOUR_MS;
  const read = (what: RawBuilder<unknown>, span: Span): RawBuilder<unknown> =>
    sql`select ${what} from ${sql.table(table)}
      where ${sql.join([timeIn(source, span, unitMs), ...narrow], sql` and `)}`;
  let { from } = source;
  while (from < to) {
    const end = source.isListed ? Math.min(to, from + MAX_LISTED * unitMs) : to;
    const { rows } = await sql<Record<"time", number>>`${read(sql`${sql.ref(time)} as time`, {
      from,
      to: end,
    })} order by ${sql.ref(time)} limit 1 offset ${sql.lit(SLICE_ROWS)}`.execute(db);
    const next = rows[0]?.time;
    const until = next === undefined ? end : Math.max(Number(next), from + unitMs);
    yield read(columns, { from, to: until });
    from = until;
  }
}

function timeIn({ time, isListed }: Source, { from, to }: Span, unitMs: number) {
  if (!isListed) return sql`${sql.ref(time)} >= ${from} and ${sql.ref(time)} < ${to}`;
  const times: number[] = [];
  for (let at = from; at < to; at += unitMs) times.push(at);
  return sql`${sql.ref(time)} in (${sql.join(times)})`;
}
