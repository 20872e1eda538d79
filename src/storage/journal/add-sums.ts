import { sql, type RawBuilder, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { COUNTS } from "../tables/usage-hours.ts";
import { addedTo } from "./added-to.ts";

/** The columns of a key in their order, with the expressions of their values. */
export type SumKey = Readonly<Record<string, RawBuilder<unknown>>>;

export function namedAs<N extends string>(
  columns: readonly N[],
): Readonly<Record<N, RawBuilder<unknown>>> {
  return Object.fromEntries(columns.map((name) => [name, sql.ref(name)])) as Record<
    N,
    RawBuilder<unknown>
  >;
}

/** Adds the counts of `source` to the rows of a table that have the same key. */
export async function addSums(
  transaction: Transaction<Tables>,
  table: keyof Tables,
  key: SumKey,
  source: RawBuilder<unknown>,
): Promise<void> {
  const names = Object.keys(key).map((name) => sql.ref(name));
  const counts = COUNTS.map((name) => sql.ref(name));
  const sums = COUNTS.map((name) => sql`sum(${sql.ref(name)})`);
  const places = sql.join(names.map((_, index) => sql.lit(index + 1)));
  // Sorted, so that SQLite's tree grows at its end. Without the condition,
  // SQLite would parse `on conflict` as a part of a join.
  await sql`insert into ${sql.table(table)} (${sql.join([...names, ...counts])})
    select ${sql.join([...Object.values(key), ...sums])} from (${source}) as added where true
    group by ${places} order by ${places}
    on conflict (${sql.join(names)}) do update set ${addedTo(table, COUNTS)}`.execute(transaction);
}
