import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function keptAnswers(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id, bytes } = ddl;

  await db.schema
    .createTable("kept_answers")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("question", "text", (column) => column.notNull())
    .addColumn("call_id", id, (column) => column.notNull())
    .addColumn("instance", id, (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("ends_by", integer, (column) => column.notNull())
    .addColumn("expires_at", integer, (column) => column.notNull())
    .addColumn("status", integer)
    .addColumn("headers", "text")
    .addColumn("body", bytes)
    .addColumn("size_bytes", integer, (column) => column.notNull())
    .addCheckConstraint("kept_answers_state", sql`state in ('running', 'done')`)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema
    .createIndex("kept_answers_by_age")
    .on("kept_answers")
    .columns(["expires_at"])
    .execute();
  // Covers the queries about sizes, so that no body is read for them.
  await db.schema
    .createIndex("kept_answers_by_user")
    .on("kept_answers")
    .columns(["user_id", "expires_at", "size_bytes"])
    .execute();
}
