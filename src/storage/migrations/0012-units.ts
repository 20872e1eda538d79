import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Usage in units other than text tokens. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function units(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const counts = [
    "image_input_tokens",
    "image_output_tokens",
    "images",
    "media_ms",
    "characters",
    "searches",
  ];
  for (const table of ["calls", "usage_hours"]) {
    for (const count of counts) {
      await db.schema
        .alterTable(table)
        .addColumn(count, ddl.integer, (column) => column.notNull().defaultTo(0))
        .execute();
    }
  }
  await db.schema.alterTable("calls").addColumn("grade", "text").execute();
}
