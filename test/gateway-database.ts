import { Database } from "bun:sqlite";
import { isBusy } from "#storage/sqlite/failure.ts";
import { databasePath } from "#storage/sqlite/open.ts";
import { waitFor } from "./wait.ts";

/** A second connection to the database of a gateway; write with `writeWhenFree`. */
export function openGatewayDatabase(dataDir: string): Database {
  return new Database(databasePath(dataDir), { readwrite: true });
}

/**
 * Writes as soon as no transaction of the gateway is open. SQLite's own waiting (`busy_timeout`)
 * blocks the thread. If the gateway runs on the same thread, it could never end its transaction.
 */
export async function writeWhenFree(db: Database, write: (db: Database) => void): Promise<void> {
  await waitFor(() => {
    try {
      write(db);
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      return false;
    }
  });
}
