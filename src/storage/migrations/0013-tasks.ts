import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function tasks(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { integer, id } = ddl;

  await db.schema
    .createTable("tasks")
    .addColumn("id", id, (column) => column.notNull().primaryKey())
    .addColumn("user_id", integer, (column) => column.notNull())
    .addColumn("key_id", integer, (column) => column.notNull())
    .addColumn("entry", "text", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("channel", "text")
    .addColumn("provider", "text")
    .addColumn("upstream_model", "text")
    .addColumn("format", "text")
    .addColumn("credential", "text")
    .addColumn("upstream_id", "text")
    .addColumn("external_id", "text")
    .addColumn("progress", integer)
    .addColumn("details", "text", (column) => column.notNull())
    .addColumn("held", integer, (column) => column.notNull())
    .addColumn("created_at", integer, (column) => column.notNull())
    .addColumn("started_at", integer)
    .addColumn("finished_at", integer)
    .addColumn("deadline_at", integer, (column) => column.notNull())
    .addColumn("due_at", integer, (column) => column.notNull())
    .addColumn("failures", integer, (column) => column.notNull())
    .addColumn("misses", integer, (column) => column.notNull())
    .addColumn("settled", integer, (column) => column.notNull())
    .addColumn("version", integer, (column) => column.notNull())
    .addColumn("lease_owner", "text")
    .addColumn("lease_until", integer, (column) => column.notNull())
    .addColumn("hurried", integer, (column) => column.notNull())
    .addColumn("removed", integer, (column) => column.notNull())
    .addCheckConstraint(
      "tasks_status",
      sql`status in ('submitting', 'submit_unknown', 'queued', 'running',
        'succeeded', 'failed')`,
    )
    .modifyEnd(ddl.tableEnd("keyed"))
    .execute();
  await db.schema.createIndex("tasks_open").on("tasks").columns(["settled", "due_at"]).execute();
  await db.schema
    .createIndex("tasks_of_user")
    .on("tasks")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("tasks_by_external_id")
    .on("tasks")
    .columns(["user_id", "external_id"])
    .where("external_id", "is not", null)
    .execute();
  await db.schema
    .createIndex("tasks_by_upstream_id")
    .unique()
    .on("tasks")
    .columns(["channel", "upstream_id"])
    .where("upstream_id", "is not", null)
    .execute();
  await db.schema
    .createIndex("tasks_by_lease")
    .on("tasks")
    .column("lease_owner")
    .where("lease_owner", "is not", null)
    .execute();
}
