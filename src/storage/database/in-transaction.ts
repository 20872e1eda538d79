import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** In the transaction that is open already, where there is one: then its opener ends it. */
export function inTransaction<T>(
  db: Kysely<Tables>,
  run: (transaction: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db.isTransaction ? run(db) : db.transaction().execute(run);
}
