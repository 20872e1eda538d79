import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function media(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("media")
    .addColumn("task_id", id, (column) => column.notNull())
    .addColumn("video_index", integer, (column) => column.notNull())
    .addColumn("variant", id, (column) => column.notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("store", "text", (column) => column.notNull())
    .addColumn("size_bytes", integer)
    .addColumn("media_type", "text")
    .addColumn("digest", "text")
    .addColumn("kept_at", integer)
    .addColumn("attempts", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("due_at", integer, (column) => column.notNull())
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("media_key", ["task_id", "video_index", "variant"])
    .addCheckConstraint("media_state", sql`state in ('wanted', 'kept', 'given_up')`)
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema.createIndex("media_due").on("media").columns(["state", "due_at"]).execute();
  await db.schema.createIndex("media_by_age").on("media").column("created_at").execute();
}
