import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Updates of the catalogue, which all gateways of one database share. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function catalogRows(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable("catalog_rows")
    .addColumn("provider", ddl.id, (column) => column.notNull())
    .addColumn("id", ddl.id, (column) => column.notNull())
    .addColumn("row", "text", (column) => column.notNull())
    .addColumn("updated_at", ddl.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("catalog_rows_key", ["provider", "id"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}
