import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function settings(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable("settings")
    .addColumn("name", ddl.id, (column) => column.notNull().primaryKey())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("updated_at", ddl.integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}
