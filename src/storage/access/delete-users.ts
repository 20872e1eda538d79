import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";
import { deletedKey } from "../tables/keys.ts";
import { NO_SECOND_FACTOR, USER_STATUS } from "../tables/users.ts";

/** The values of a deleted user, besides a name that no user can have. */
const TOMBSTONE = {
  status: USER_STATUS.disabled,
  email: null,
  display_name: null,
  password: null,
  group_id: null,
  team_id: null,
  search: "",
  ...NO_SECOND_FACTOR,
} as const;

/** Deletes a user in a transaction; the ids of its keys, or undefined if it does not exist. */
export async function deleteUser(
  transaction: Kysely<Tables>,
  id: number,
  now: number,
): Promise<readonly number[] | undefined> {
  // First, so that no key is created meanwhile: key creation waits for the user's row lock.
  const { numUpdatedRows } = await transaction
    .updateTable("users")
    .set({ ...TOMBSTONE, name: `(deleted ${id})`, deleted_at: now })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return undefined;
  for (const table of ["sessions", "access_tokens", "recovery_codes", "identities"] as const) {
    await transaction.deleteFrom(table).where("user_id", "=", id).execute();
  }
  await transaction.updateTable("assets").set({ removed: 1 }).where("user_id", "=", id).execute();
  const ended = await transaction
    .updateTable("keys")
    .set(deletedKey(now))
    .where("user_id", "=", id)
    .where("deleted_at", "is", null)
    .returning("id")
    .execute();
  return ended.map((key) => key.id);
}
