import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function channels(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("channels")
    .addColumn("id", ddl.counter(1))
    .addColumn("name", "text", (column) => column.notNull().unique())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("base_url", "text")
    .addColumn("reach", "text", (column) => column.notNull())
    .addColumn("credentials", "text", (column) => column.notNull())
    .addColumn("models", "text")
    .addColumn("style", "text")
    .addColumn("options", "text")
    .addColumn("priority", integer, (column) => column.notNull())
    .addColumn("weight", integer, (column) => column.notNull())
    .addColumn("max_concurrent", integer)
    .addColumn("requests_per_minute", integer)
    .addColumn("tokens_per_minute", integer)
    .addColumn("status", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("updated_at", integer, (column) => column.notNull())
    .addCheckConstraint("channels_reach", sql`reach in ('public', 'private')`)
    .modifyEnd(ddl.tableEnd("appended"))
    .execute();

  await db.schema
    .createTable("models")
    .addColumn("name", id, (column) => column.notNull().primaryKey())
    .addColumn("rates", "text")
    .addColumn("source", "text")
    .addColumn("date", "text")
    .addColumn("context_tokens", integer)
    .addColumn("max_output_tokens", integer)
    .addColumn("requests_per_minute", integer)
    .addColumn("tokens_per_minute", integer)
    .addColumn("updated_at", integer, (column) => column.notNull())
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
}
