import type { Kysely } from "kysely";
import type { WebhookSecrets } from "#core/webhook-delivery.ts";
import type { Clock } from "#lib/clock.ts";
import { deriveKey } from "#lib/derive-key.ts";
import type { Tables } from "../tables.ts";

interface NoticeSecretsDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
}

/** How long the previous secret stays valid. */
const BOTH_MS = 7 * 86_400_000;

/** Secrets are derived, so only their number is stored. */
export function createWebhookSecrets({ db, clock, pepper }: NoticeSecretsDeps): WebhookSecrets {
  return {
    async of(userId) {
      const row = await db
        .selectFrom("users")
        .select(["webhook_generation", "webhook_rotated_at"])
        .where("id", "=", userId)
        .executeTakeFirst();
      if (row === undefined) return [];
      const { webhook_generation: generation, webhook_rotated_at: rotatedAt } = row;
      const newest = secretOf(userId, generation);
      const hasOld = rotatedAt !== null && clock.now() - rotatedAt < BOTH_MS;
      return hasOld ? [newest, secretOf(userId, generation - 1)] : [newest];
    },

    async rotate(userId) {
      const { webhook_generation: generation } = await db
        .updateTable("users")
        .set(({ eb }) => ({
          webhook_generation: eb("webhook_generation", "+", 1),
          webhook_rotated_at: clock.now(),
        }))
        .where("id", "=", userId)
        .returning("webhook_generation")
        .executeTakeFirstOrThrow();
      return secretOf(userId, generation);
    },
  };

  function secretOf(userId: number, generation: number): string {
    const key = deriveKey(pepper, `notices:${userId}:${generation}`);
    return `whsec_${Buffer.from(key).toString("base64")}`;
  }
}
