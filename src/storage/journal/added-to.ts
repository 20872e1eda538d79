import { sql, type RawBuilder } from "kysely";

/** The columns of a row that exists, increased by those of the new one. */
export function addedTo(table: string, columns: readonly string[]): RawBuilder<unknown> {
  return sql.join(
    columns.map(
      (name) =>
        sql`${sql.ref(name)} = ${sql.ref(`${table}.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ),
  );
}
