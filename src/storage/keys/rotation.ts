import { GatewayError } from "#core/error.ts";
import { createSecret } from "#core/key.ts";
import type { ListedKey, UserKeys } from "#core/user-keys.ts";
import { NO_OLD_SECRET } from "../tables/keys.ts";
import type { UserKeysDeps } from "./user-keys.ts";

type Rotation = Pick<UserKeys, "rotate" | "endOldSecret" | "ownerOf">;

/** New secrets of keys. The row stays, and with it the accounts, budgets and limits. */
export function createRotation(
  { db, keys, clock, isOfFile }: UserKeysDeps,
  findOwn: (userId: number, id: number) => Promise<ListedKey | undefined>,
): Rotation {
  return {
    async rotate(userId, id, overlapMs) {
      if (isOfFile(id)) throw ofFile();
      const secret = createSecret();
      try {
        // One statement, so that two rotations at once leave the secrets of the later one.
        const { numUpdatedRows } = await db
          .updateTable("keys")
          .set(({ ref }) => ({
            old_digest: ref("digest"),
            old_last4: ref("last4"),
            old_is_custom: ref("is_custom"),
            old_ends_at: clock.now() + overlapMs,
            digest: keys.digestOf(secret),
            last4: secret.slice(-4),
            is_custom: 0,
          }))
          .where("id", "=", id)
          .where("user_id", "=", userId)
          .where("deleted_at", "is", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return undefined;
      } finally {
        // Also after an error: the change may have been committed without our knowledge.
        await keys.changed([id]);
      }
      if (overlapMs === 0) await endOldSecret(userId, id);
      const listed = await findOwn(userId, id);
      return listed && { listed, secret };
    },

    endOldSecret,

    async ownerOf(id) {
      const row = await db
        .selectFrom("keys")
        .select("user_id")
        .where("id", "=", id)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      return row?.user_id;
    },
  };

  async function endOldSecret(userId: number, id: number): Promise<boolean> {
    try {
      const { numUpdatedRows } = await db
        .updateTable("keys")
        .set(NO_OLD_SECRET)
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .where("old_digest", "is not", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    } finally {
      await keys.changed([id]);
    }
  }
}

function ofFile(): GatewayError {
  return new GatewayError(
    "invalid_request",
    "The configuration file holds the secret of this key. Change it there.",
  );
}
