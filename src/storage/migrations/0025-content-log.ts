import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** The index of the content log, and the levels of groups and keys. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function contentLog(db: Kysely<any>, { integer, id, tableEnd }: Ddl): Promise<void> {
  await db.schema
    .createTable("call_contents")
    .addColumn("call_id", id, (column) => column.notNull().primaryKey())
    .addColumn("place", "text", (column) => column.notNull())
    .addColumn("size_bytes", integer, (column) => column.notNull())
    .addColumn("at", integer, (column) => column.notNull())
    .modifyEnd(tableEnd("keyed"))
    .execute();
  // Serves the deletion of the oldest contents.
  await db.schema
    .createIndex("call_contents_by_time")
    .on("call_contents")
    .columns(["at"])
    .execute();
  for (const table of ["keys", "groups"])
    await db.schema.alterTable(table).addColumn("content_log", "text").execute();
}
