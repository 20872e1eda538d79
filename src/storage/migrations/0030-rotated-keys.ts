import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** The former secret of a rotated key, which works until its end. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function rotatedKeys(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema.alterTable("keys").addColumn("old_digest", "text").execute();
  await db.schema.alterTable("keys").addColumn("old_last4", "text").execute();
  await db.schema.alterTable("keys").addColumn("old_ends_at", ddl.integer).execute();
  await db.schema
    .alterTable("keys")
    .addColumn("old_is_custom", ddl.integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex("keys_old_digest")
    .unique()
    .on("keys")
    .columns(["old_digest"])
    .execute();
}
