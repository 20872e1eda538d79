import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function responses(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("responses")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("previous_id", id)
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("input", "text", (column) => column.notNull())
    .addColumn("response", "text", (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();
  await db.schema.createIndex("responses_by_age").on("responses").columns(["created_at"]).execute();

  await db.schema
    .createTable("response_items")
    .addColumn("id", id, (column) => column.notNull())
    .addColumn("response_id", id, (column) =>
      column.notNull().references("responses.id").onDelete("cascade"),
    )
    .addPrimaryKeyConstraint("response_items_key", ["id", "response_id"])
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema
    .createIndex("response_items_by_response")
    .on("response_items")
    .columns(["response_id"])
    .execute();
}
