import { sql, type Kysely, type RawBuilder } from "kysely";
import { foldName } from "#core/name.ts";
import type { Tables } from "../tables.ts";

/** The names of a user in the form that searches compare. */
export function searchOfUser(user: {
  readonly name: string;
  readonly display_name: string | null;
  readonly email: string | null;
}): string {
  return foldName([user.name, user.display_name ?? "", user.email ?? ""].join("\n"));
}

/** Call it after a change of a user's name, display name or address, in the same transaction. */
export async function refreshUserSearch(db: Kysely<Tables>, id: number): Promise<void> {
  const user = await db
    .selectFrom("users")
    .select(["name", "display_name", "email"])
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (user === undefined) return;
  await db
    .updateTable("users")
    .set({ search: searchOfUser(user) })
    .where("id", "=", id)
    .execute();
}

/** True for rows with the text anywhere in their names. */
export function contains(
  column: "users.search" | "teams.search",
  text: string,
): RawBuilder<boolean> {
  const pattern = `%${foldName(text).replaceAll(/[\\%_]/g, "\\$&")}%`;
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`;
}
