import { Database } from "bun:sqlite";
import { join } from "node:path";
import { isBusy } from "./failure.ts";

/**
 * Makes this process the only gateway on a data folder. The lock is the
 * system's, on a file of its own: it falls with the process, however that
 * ends, and it keeps nobody from reading the database.
 */
export function ownFolder(dataDir: string): Disposable {
  const file = new Database(join(dataDir, "owner.lock"), { create: true });
  try {
    file.run("pragma busy_timeout = 0");
    file.run("begin exclusive");
  } catch (cause) {
    file.close();
    if (!isBusy(cause)) throw cause;
    throw new Error(
      `Another gateway is running on ${dataDir}. Stop it first, give this one a folder of its ` +
        `own, or let both share a PostgreSQL database with DATABASE_URL.`,
      { cause },
    );
  }
  return { [Symbol.dispose]: () => file.close() };
}
