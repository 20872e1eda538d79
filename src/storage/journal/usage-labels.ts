import { sql, type Kysely, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { readList } from "../tables/calls.ts";
import { COUNTS, DIMENSIONS, type UsageHoursTable } from "../tables/usage-hours.ts";
import { addedTo } from "./added-to.ts";

/** Kinds of labels; each is the prefix of its labels. */
export const LABEL_KINDS = ["tag", "session"] as const;
export type LabelKind = (typeof LABEL_KINDS)[number];

/** Sums are plain numbers here: together they may exceed the maximum of an account. */
export type LabelRow = Readonly<
  Pick<UsageHoursTable, (typeof DIMENSIONS)[number]> & Record<(typeof COUNTS)[number], number>
> & { readonly label: string };
type Labelled = Omit<LabelRow, "label"> & {
  readonly session_id: string | null;
  readonly tags: string | null;
};

/** Parameters of one statement are limited; a row has 26. */
const ROWS_PER_INSERT = 500;

/** Sums of calls by label; the database adds up calls with equal labels first. */
export async function readLabels(
  db: Kysely<Tables>,
  calls: RawBuilder<unknown>,
): Promise<readonly LabelRow[]> {
  const columns = sql.join([...DIMENSIONS, "session_id", "tags"].map((name) => sql.ref(name)));
  const sums = sql.join(
    COUNTS.map((name) => sql`cast(sum(${sql.ref(name)}) as double precision) as ${sql.ref(name)}`),
  );
  const { rows } = await sql<Labelled>`select ${columns}, ${sums} from (${calls}) as used
    where session_id is not null or tags is not null group by ${columns}`.execute(db);
  const sumsByLabel = new Map<string, LabelRow>();
  for (const { session_id, tags, ...row } of rows) {
    for (const label of labelsOf(session_id, tags)) addTo(sumsByLabel, { ...row, label });
  }
  return [...sumsByLabel.values()];
}

function labelsOf(session: string | null, tags: string | null): readonly string[] {
  const labels = readList(tags).map((each) => labelOf("tag", each));
  return session === null ? labels : [...labels, labelOf("session", session)];
}

export function labelOf(kind: LabelKind, name: string): string {
  return `${kind}:${name}`;
}

function addTo(sums: Map<string, LabelRow>, row: LabelRow): void {
  const name = JSON.stringify([row.label, ...DIMENSIONS.map((each) => row[each])]);
  const known = sums.get(name);
  sums.set(name, known === undefined ? row : sumOf(known, row));
}

function sumOf(one: LabelRow, other: LabelRow): LabelRow {
  const sum = { ...one };
  for (const name of COUNTS) sum[name] = one[name] + other[name];
  return sum;
}

/** Adds calls to the sums of their labels. */
export async function addToLabels(
  transaction: Transaction<Tables>,
  calls: RawBuilder<unknown>,
  maxLabels: number,
): Promise<void> {
  const given = await readLabels(transaction, calls);
  if (given.length === 0) return;
  const rows = await bounded(transaction, given, maxLabels);
  const columns = ["hour", "label", ...DIMENSIONS.slice(1)] as const;
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    await sql`${insertOf(rows.slice(from, from + ROWS_PER_INSERT))}
      on conflict (${sql.join(columns.map((name) => sql.ref(name)))})
      do update set ${addedTo("usage_labels", COUNTS)}`.execute(transaction);
  }
}

function insertOf(rows: readonly LabelRow[]): RawBuilder<unknown> {
  const columns = ["label", ...DIMENSIONS, ...COUNTS] as const;
  const values = rows.map((row) => sql`(${sql.join(columns.map((name) => row[name]))})`);
  return sql`insert into usage_labels (${sql.join(columns.map((name) => sql.ref(name)))})
    values ${sql.join(values)}`;
}

/**
 * Clients choose labels freely: those of a key above its limit in an hour share the label of their
 * kind without a name.
 */
async function bounded(
  db: Transaction<Tables>,
  rows: readonly LabelRow[],
  maxLabels: number,
): Promise<readonly LabelRow[]> {
  const full = await nearlyFull(db, rows, maxLabels);
  if (full.size === 0) return rows;
  const known = await knownLabels(
    db,
    rows.filter((row) => full.has(ownerOf(row))),
  );
  const sums = new Map<string, LabelRow>();
  for (const row of rows) {
    const owner = ownerOf(row);
    const labels = known.get(owner) ?? new Set();
    known.set(owner, labels);
    if (!full.has(owner) || labels.size < maxLabels) labels.add(row.label);
    const kind = row.label.slice(0, row.label.indexOf(":") + 1);
    addTo(sums, labels.has(row.label) ? row : { ...row, label: kind });
  }
  return [...sums.values()];
}

type Owner = Pick<LabelRow, "key_id" | "hour">;

function ownerOf({ key_id, hour }: Owner): string {
  return `${key_id} ${hour}`;
}

/** The keys and hours that may get more labels than the limit by these rows. */
async function nearlyFull(
  db: Transaction<Tables>,
  rows: readonly LabelRow[],
  maxLabels: number,
): Promise<ReadonlySet<string>> {
  const given = new Map<string, Set<string>>();
  for (const row of rows) {
    const labels = given.get(ownerOf(row)) ?? new Set();
    given.set(ownerOf(row), labels.add(row.label));
  }
  const counts = await ofOwners(db, rows)
    .select(({ fn, cast }) => [
      "key_id",
      "hour",
      cast<number>(fn.count("label").distinct(), "bigint").as("count"),
    ])
    .groupBy(["key_id", "hour"])
    .execute();
  const stored = new Map(counts.map((each) => [ownerOf(each), Number(each.count)]));
  const isFull = ([owner, labels]: [string, ReadonlySet<string>]): boolean =>
    (stored.get(owner) ?? 0) + labels.size > maxLabels;
  return new Set([...given].filter(isFull).map(([owner]) => owner));
}

/** The stored labels of each key and hour of these rows. */
async function knownLabels(
  db: Transaction<Tables>,
  rows: readonly LabelRow[],
): Promise<Map<string, Set<string>>> {
  const labels = await ofOwners(db, rows).select(["key_id", "hour", "label"]).distinct().execute();
  const known = new Map<string, Set<string>>();
  for (const each of labels) {
    const of = known.get(ownerOf(each)) ?? new Set();
    known.set(ownerOf(each), of.add(each.label));
  }
  return known;
}

function ofOwners(db: Transaction<Tables>, rows: readonly LabelRow[]) {
  return db
    .selectFrom("usage_labels")
    .where("key_id", "in", [...new Set(rows.map((row) => row.key_id))])
    .where("hour", "in", [...new Set(rows.map((row) => row.hour))]);
}
