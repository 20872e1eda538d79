import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Runs in the open transaction if there is one; its opener then commits. */
export function inTransaction<T>(
  db: Kysely<Tables>,
  run: (transaction: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}
