import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Images that a vendor charged although they were given, not made. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function referenceImages(db: Kysely<any>, ddl: Ddl): Promise<void> {
  for (const table of ["calls", "usage_hours"]) {
    await db.schema
      .alterTable(table)
      .addColumn("reference_images", ddl.integer, (column) => column.notNull().defaultTo(0))
      .execute();
  }
}
