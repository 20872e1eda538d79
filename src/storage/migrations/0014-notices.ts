import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function notices(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("notices")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("task_id", id, (column) => column.notNull())
    .addColumn("url", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("attempts", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("due_at", integer, (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addColumn("last_error", "text")
    .addCheckConstraint("notices_state", sql`state in ('pending', 'delivered', 'dead')`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema.createIndex("notices_due").on("notices").columns(["state", "due_at"]).execute();
  await db.schema
    .createIndex("notices_of_user")
    .on("notices")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .alterTable("users")
    .addColumn("webhook_generation", integer, (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema.alterTable("users").addColumn("webhook_rotated_at", integer).execute();
}
