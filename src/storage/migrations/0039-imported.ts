import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Objects that were imported from other gateways, and groups of single keys. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function imported(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable("imported")
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("ref", "text", (column) => column.notNull())
    .addColumn("target", "text", (column) => column.notNull())
    .addColumn("at", ddl.integer, (column) => column.notNull())
    .addPrimaryKeyConstraint("imported_pk", ["source", "kind", "ref"])
    .execute();
  await db.schema
    .alterTable("keys")
    .addColumn("own_group_id", ddl.integer, (column) => column.references("groups.id"))
    .execute();
}
