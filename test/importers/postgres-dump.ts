import { query } from "#test/scratch-database.ts";
import { readMaterial } from "./importing.ts";

/** Loads a dump of `pg_dump --inserts` into an empty database, without the commands of psql. */
export async function loadPostgres(dump: string, url: string): Promise<void> {
  const statements = readMaterial(dump).replaceAll(/^\\(?:un)?restrict .*$/gm, "");
  await query(url, statements);
}
