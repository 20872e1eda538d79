import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import type { Engine } from "../database/engine.ts";
import { COUNTS, DIMENSIONS, type UsageLabelsTable } from "../tables/usage-hours.ts";
import { namedAs, type SumKey } from "./add-sums.ts";

/** Kinds of labels; each is the prefix of its labels. */
export const LABEL_KINDS = ["tag", "session"] as const;
export type LabelKind = (typeof LABEL_KINDS)[number];

/** Calls with a label, in the columns of `usage_labels`; a call is in it for each of its labels. */
export function labelledCalls(
  calls: RawBuilder<unknown>,
  linesOf: Engine["linesOf"],
): RawBuilder<unknown> {
  const columns = sql.join([...DIMENSIONS, ...COUNTS].map((name) => sql.ref(`used.${name}`)));
  return sql`select 'session:' || session_id as label, ${columns} from (${calls}) as used
      where session_id is not null
    union all select 'tag:' || line.value as label, ${columns}
      from (${calls}) as used, ${linesOf(sql`used.tags`)} where tags is not null`;
}

export function labelOf(kind: LabelKind, name: string): string {
  return `${kind}:${name}`;
}

/** Of the sums by label. */
export const LABEL_KEY: SumKey = namedAs(["hour", "label", ...DIMENSIONS.slice(1)]);

/**
 * Clients choose labels freely: those of a key above its limit in an hour share the label of their
 * kind without a name. Undefined if no call has a label.
 */
export async function boundLabels(
  db: Transaction<Tables>,
  labelled: RawBuilder<unknown>,
  maxLabels: number,
): Promise<RawBuilder<unknown> | undefined> {
  const owners = await readOwners(db, labelled);
  if (owners.length === 0) return undefined;
  const full = await nearlyFull(db, owners, maxLabels);
  const refused = full.size === 0 ? [] : await findRefused(db, labelled, full, maxLabels);
  if (refused.length === 0) return labelled;
  const columns = sql.join([...DIMENSIONS, ...COUNTS].map((name) => sql.ref(name)));
  return sql`select case
      when key_id || ' ' || hour || ' ' || label not in (${sql.join(refused)}) then label
      when label like 'tag:%' then 'tag:' else 'session:' end as label, ${columns}
    from (${labelled}) as named`;
}

async function findRefused(
  db: Transaction<Tables>,
  labelled: RawBuilder<unknown>,
  full: ReadonlySet<string>,
  maxLabels: number,
): Promise<readonly string[]> {
  const { rows } = await sql<LabelOfOwner>`select distinct key_id, hour, label
    from (${labelled}) as used order by label`.execute(db);
  const given = rows.filter((row) => full.has(ownerOf(row)));
  const known = await knownLabels(db, given);
  const refused: string[] = [];
  for (const row of given) {
    const owner = ownerOf(row);
    const labels = known.get(owner) ?? new Set();
    known.set(owner, labels);
    if (labels.size < maxLabels) labels.add(row.label);
    if (!labels.has(row.label)) refused.push(`${owner} ${row.label}`);
  }
  return refused;
}

type LabelOfOwner = Pick<UsageLabelsTable, "key_id" | "hour" | "label">;
type Owner = Omit<LabelOfOwner, "label">;
/** A key and an hour, with the number of their labels. */
type CountedOwner = Owner & { readonly count: number | string };

function ownerOf({ key_id, hour }: Owner): string {
  return `${key_id} ${hour}`;
}

async function readOwners(
  db: Transaction<Tables>,
  labelled: RawBuilder<unknown>,
): Promise<readonly CountedOwner[]> {
  const { rows } = await sql<CountedOwner>`select key_id, hour, count(distinct label) as count
    from (${labelled}) as used group by key_id, hour`.execute(db);
  return rows;
}

/** The keys and hours that may get more labels than the limit by these. */
async function nearlyFull(
  db: Transaction<Tables>,
  given: readonly CountedOwner[],
  maxLabels: number,
): Promise<ReadonlySet<string>> {
  const counts = await ofOwners(db, given)
    .select(({ fn, cast }) => [
      "key_id",
      "hour",
      cast<number>(fn.count("label").distinct(), "bigint").as("count"),
    ])
    .groupBy(["key_id", "hour"])
    .execute();
  const stored = new Map(counts.map((each) => [ownerOf(each), Number(each.count)]));
  const full = given.filter(
    (each) => (stored.get(ownerOf(each)) ?? 0) + Number(each.count) > maxLabels,
  );
  return new Set(full.map((each) => ownerOf(each)));
}

/** The stored labels of each key and hour of these rows. */
async function knownLabels(
  db: Transaction<Tables>,
  rows: readonly Owner[],
): Promise<Map<string, Set<string>>> {
  const labels = await ofOwners(db, rows).select(["key_id", "hour", "label"]).distinct().execute();
  const known = new Map<string, Set<string>>();
  for (const each of labels) {
    const of = known.get(ownerOf(each)) ?? new Set();
    known.set(ownerOf(each), of.add(each.label));
  }
  return known;
}

function ofOwners(db: Transaction<Tables>, rows: readonly Owner[]) {
  return db
    .selectFrom("usage_labels")
    .where("key_id", "in", [...new Set(rows.map((row) => row.key_id))])
    .where("hour", "in", [...new Set(rows.map((row) => row.hour))]);
}
