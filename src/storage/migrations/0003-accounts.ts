import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function accounts(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  for (const column of ["email", "display_name", "password", "token_digest"]) {
    await db.schema.alterTable("users").addColumn(column, "text").execute();
  }
  for (const column of ["email", "token_digest"]) {
    await db.schema.createIndex(`users_${column}`).unique().on("users").columns([column]).execute();
  }

  await db.schema
    .createTable("sessions")
    .addColumn("digest", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull().references("users.id"))
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("seen_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema.createIndex("sessions_by_user").on("sessions").columns(["user_id"]).execute();

  await db.schema.alterTable("keys").addColumn("networks", "text").execute();
  for (const column of ["requests_per_minute", "tokens_per_minute", "concurrency"]) {
    await db.schema.alterTable("keys").addColumn(column, integer).execute();
  }
}
