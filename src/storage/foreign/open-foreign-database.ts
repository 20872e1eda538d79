import type { ForeignDatabase } from "./foreign-database.ts";
import { readPlace } from "./place.ts";

/** Opens the database of another gateway at a URL, a DSN or a path; see `readPlace`. */
export async function openForeignDatabase(place: string): Promise<ForeignDatabase> {
  const { kind, at } = readPlace(place);
  // Only the client of this database is loaded.
  if (kind === "postgres") return (await import("./postgres.ts")).openForeignPostgres(at);
  if (kind === "mysql") return (await import("./mysql.ts")).openForeignMysql(at);
  return (await import("./sqlite.ts")).openForeignSqlite(at);
}
