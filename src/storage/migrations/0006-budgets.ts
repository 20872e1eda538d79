import type { Kysely } from "kysely";
import type { Ddl } from "./ddl.ts";

// oxlint-disable-next-line no-explicit-any -- a migration is written against its own schema, not today's
export async function budgets(db: Kysely<any>, ddl: Ddl): Promise<void> {
  const { id } = ddl;

  for (const table of ["holds", "ledger"]) {
    await db.schema.alterTable(table).addColumn("more_accounts", id).execute();
  }
}
