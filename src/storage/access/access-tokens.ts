import type { Kysely } from "kysely";
import { ACCESS_TOKEN_PREFIX, type AccessTokens } from "#core/access-token.ts";
import { GatewayError } from "#core/error.ts";
import { createSecret, isWellFormed } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import { digestOf } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";
import { toAccessToken } from "../tables/access-tokens.ts";
import { toUser, USER_STATUS } from "../tables/users.ts";

interface AccessTokenDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
}

/** A use within this time of a known one is not written. */
const USED_EVERY_MS = 60_000;
/** Both engines limit the parameters of a statement. */
const MAX_AT_ONCE = 1_000;
const MAX_NOTED = 100_000;

export function createAccessTokens({ db, clock, pepper }: AccessTokenDeps): AccessTokens {
  const digest = (secret: string): string => digestOf(secret, pepper);
  /** Tokens that were used since the last write. */
  let used = new Set<number>();

  return {
    async create({ userId, name, scopes, endsAt }, most) {
      const secret = createSecret(ACCESS_TOKEN_PREFIX);
      const now = clock.now();
      const row = await db.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom("access_tokens")
          .where("user_id", "=", userId)
          .where("ends_at", "<=", now)
          .execute();
        await assertBelowLimit(transaction, userId, most);
        return await transaction
          .insertInto("access_tokens")
          .values({
            user_id: userId,
            name,
            digest: digest(secret),
            last4: secret.slice(-4),
            scopes: scopes === undefined ? null : JSON.stringify(scopes),
            created_at: now,
            ends_at: endsAt ?? null,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return { token: toAccessToken(row), secret };
    },

    async list(userId) {
      const rows = await db
        .selectFrom("access_tokens")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("id", "desc")
        .execute();
      return rows.map(toAccessToken);
    },

    async rename(userId, id, name) {
      const row = await db
        .updateTable("access_tokens")
        .set({ name })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .returningAll()
        .executeTakeFirst();
      return row && toAccessToken(row);
    },

    async revoke(userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom("access_tokens")
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async revokeAll(userId) {
      const { numDeletedRows } = await db
        .deleteFrom("access_tokens")
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    async find(secret) {
      if (!isWellFormed(secret, ACCESS_TOKEN_PREFIX)) return undefined;
      const now = clock.now();
      const token = await db
        .selectFrom("access_tokens")
        .selectAll()
        .where("digest", "=", digest(secret))
        .where((or) => or.or([or("ends_at", "is", null), or("ends_at", ">", now)]))
        .executeTakeFirst();
      if (token === undefined) return undefined;
      const user = await db
        .selectFrom("users")
        .selectAll()
        .where("id", "=", token.user_id)
        .where("status", "=", USER_STATUS.enabled)
        .executeTakeFirst();
      if (user === undefined) return undefined;
      if ((token.used_at ?? 0) <= now - USED_EVERY_MS && used.size < MAX_NOTED) used.add(token.id);
      return { user: toUser(user), token: toAccessToken(token) };
    },

    async noteUses() {
      const ids = [...used];
      used = new Set();
      for (let i = 0; i < ids.length; i += MAX_AT_ONCE) {
        await db
          .updateTable("access_tokens")
          .set({ used_at: clock.now() })
          .where("id", "in", ids.slice(i, i + MAX_AT_ONCE))
          .execute();
      }
    },
  };
}

/** Serialised per user, so that two concurrent inserts cannot exceed the limit. */
async function assertBelowLimit(db: Kysely<Tables>, userId: number, most: number): Promise<void> {
  await db
    .updateTable("users")
    .set(({ ref }) => ({ status: ref("status") }))
    .where("id", "=", userId)
    .execute();
  const { count } = await db
    .selectFrom("access_tokens")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  if (Number(count) < most) return;
  throw new GatewayError(
    "invalid_request",
    `The limit of ${most} access tokens of a user is reached. Revoke some first.`,
  );
}
