import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function audit(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("audit")
    .addColumn("seq", integer, (column) => column.notNull().primaryKey())
    .addColumn("at", integer, (column) => column.notNull())
    .addColumn("actor_id", integer)
    .addColumn("actor", "text")
    .addColumn("role", "text")
    .addColumn("proof", "text", (column) => column.notNull())
    .addColumn("address", "text")
    .addColumn("user_agent", "text")
    .addColumn("request_id", id, (column) => column.notNull())
    .addColumn("action", id, (column) => column.notNull())
    .addColumn("object", "text", (column) => column.notNull())
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("outcome", "text", (column) => column.notNull())
    .addColumn("status", integer)
    .addColumn("prev", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull())
    .addCheckConstraint("audit_outcome", sql`outcome in ('asked', 'done', 'refused', 'failed')`)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  for (const column of ["at", "actor_id", "action"]) {
    await db.schema
      .createIndex(`audit_by_${column}`)
      .on("audit")
      .columns([column, "seq"])
      .execute();
  }
  await ddl.forbidChanges(db, "audit");
}
