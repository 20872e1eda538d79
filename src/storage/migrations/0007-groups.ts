import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function groups(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer } = ddl;

  await db.schema
    .createTable("groups")
    .addColumn("id", ddl.counter(1))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("models", "text")
    .addColumn("channels", "text")
    .addColumn("price_factor", integer, (column) => column.notNull())
    .addColumn("prices", "text", (column) => column.notNull())
    .addColumn("requests_per_minute", integer)
    .addColumn("tokens_per_minute", integer)
    .addColumn("concurrency", integer)
    .addColumn("shared_requests_per_minute", integer)
    .addColumn("shared_tokens_per_minute", integer)
    .addColumn("shared_concurrency", integer)
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("changed_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();

  await db.schema
    .alterTable("users")
    .addColumn("group_id", integer, (column) => column.references("groups.id"))
    .execute();
  await db.schema.alterTable("users").addColumn("deleted_at", integer).execute();
  await db.schema.createIndex("users_by_group").on("users").columns(["group_id"]).execute();

  await db.schema.alterTable("keys").addColumn("endpoints", "text").execute();
}
