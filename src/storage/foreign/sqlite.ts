import { Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { ForeignDatabaseError, toJsonRow, type ForeignDatabase } from "./foreign-database.ts";

const BUSY_MS = 5_000;

/** A database file, which a running program may have open. */
export function openForeignSqlite(path: string): ForeignDatabase {
  // The text may be a misspelt DSN with a password, so it is not shown.
  if (!existsSync(path) || !statSync(path).isFile()) {
    throw new ForeignDatabaseError(
      "There is no file with this name, and it is no URL or DSN of MySQL or PostgreSQL.",
    );
  }
  const database = new Database(path, { readonly: true, safeIntegers: true });
  database.run(`PRAGMA busy_timeout = ${BUSY_MS}`);
  try {
    // One snapshot for all tables.
    database.run("BEGIN");
    database.query("SELECT count(*) FROM sqlite_master").get();
  } catch (cause) {
    database.close();
    throw new ForeignDatabaseError(
      `${path} is not an SQLite database. Load an SQL dump into one first: sqlite3 new.db < dump.sql`,
      { cause },
    );
  }
  return {
    async tables() {
      const rows = database
        .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
        .all();
      return new Set(rows.map(({ name }) => name));
    },

    async read(table) {
      const rows = database.query<object, []>(`SELECT * FROM "${table.replaceAll('"', '""')}"`);
      return rows.all().map(toJsonRow);
    },

    async [Symbol.asyncDispose]() {
      database.run("ROLLBACK");
      database.close();
    },
  };
}
