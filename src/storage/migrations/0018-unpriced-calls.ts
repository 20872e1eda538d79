import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

/** Calls that cost nothing because the price of their model was unknown. */
// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function unpricedCalls(db: Kysely<any>, ddl: Ddl): Promise<void> {
  await db.schema
    .alterTable("calls")
    .addColumn("is_unpriced", ddl.integer, (column) => column.notNull().defaultTo(0))
    .execute();
}
