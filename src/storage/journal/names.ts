import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

/** Names of these objects, as they are now; deleted objects are left out. */
export async function namesIn(
  db: Kysely<Tables>,
  table: "users" | "keys" | "teams" | "groups",
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return new Map();
  const rows = await db
    .selectFrom(table)
    .select(["id", "name"])
    .where("id", "in", wanted)
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
