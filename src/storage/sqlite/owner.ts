import { Database } from "bun:sqlite";
import { join } from "node:path";
import { isBusy } from "./failure.ts";

/**
 * Makes this process the only gateway on a data folder. The operating system
 * locks a separate file: the lock ends with the process, and readers of the
 * database are not blocked.
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
      `Another gateway is using ${dataDir}. Stop it, use a different folder for this gateway, ` +
        `or let both share a PostgreSQL database with DATABASE_URL.`,
      { cause },
    );
  }
  return { [Symbol.dispose]: () => file.close() };
}
