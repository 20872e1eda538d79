import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import type { Identities } from "#core/identity.ts";
import type { Clock } from "#lib/clock.ts";
import type { Tables } from "../tables.ts";
import { toUser } from "../tables/users.ts";
import { isUniqueViolation } from "../database/unique.ts";

export function createIdentities(db: Kysely<Tables>, clock: Clock): Identities {
  return {
    async find(issuer, subject) {
      const row = await db
        .selectFrom("identities")
        .innerJoin("users", "users.id", "identities.user_id")
        .selectAll("users")
        .where("identities.issuer", "=", issuer)
        .where("identities.subject", "=", subject)
        .where("users.is_service", "=", 0)
        .executeTakeFirst();
      return row && toUser(row);
    },

    async findByEmail(issuer, email) {
      const row = await db
        .selectFrom("users")
        .leftJoin("identities", (join) =>
          join.onRef("identities.user_id", "=", "users.id").on("identities.issuer", "=", issuer),
        )
        .selectAll("users")
        .select("identities.subject")
        .where("users.email", "=", email)
        .executeTakeFirst();
      return row && { user: toUser(row), isLinked: row.subject !== null };
    },

    async link(userId, issuer, subject) {
      const user = await db
        .selectFrom("users")
        .select("is_service")
        .where("id", "=", userId)
        .executeTakeFirst();
      if (user?.is_service === 1) {
        throw new GatewayError("invalid_request", "A service account has no login.");
      }
      const row = { issuer, subject, user_id: userId, created_at: clock.now() };
      try {
        await db.insertInto("identities").values(row).execute();
      } catch (cause) {
        if (!isUniqueViolation(cause)) throw cause;
        throw new GatewayError(
          "invalid_request",
          "This user already has an identity of this issuer, or another user has this subject.",
          { cause },
        );
      }
    },

    async issuersOf(userId) {
      const rows = await db
        .selectFrom("identities")
        .select("issuer")
        .where("user_id", "=", userId)
        .orderBy("issuer")
        .execute();
      return rows.map(({ issuer }) => issuer);
    },

    async unlink(userId, issuer) {
      const { numDeletedRows } = await db
        .deleteFrom("identities")
        .where("user_id", "=", userId)
        .where("issuer", "=", issuer)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}
