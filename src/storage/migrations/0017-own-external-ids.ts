import { sql, type Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Some clients identify a task by their own id, so two tasks must not have the same one. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function ownExternalIds(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .alterTable("tasks")
    .addColumn("owns_external_id", ddl.integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("tasks_by_own_external_id")
    .unique()
    .on("tasks")
    .columns(["user_id", "external_id"])
    .where(sql.ref("owns_external_id"), "=", sql.lit(1))
    .where(sql.ref("removed"), "=", sql.lit(0))
    .execute();
}
