import type { Kysely } from "kysely";
import type { SecondFactors } from "#core/second-factor.ts";
import type { Clock } from "#lib/clock.ts";
import { randomBytes } from "#lib/ids.ts";
import { openSeal } from "#lib/seal.ts";
import { findStep, toBase32 } from "#lib/totp.ts";
import { digestOf } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";
import { NO_SECOND_FACTOR } from "../tables/users.ts";

interface SecondFactorDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
}

/** The length of the digest of the codes. [RFC 4226, section 4] */
const SECRET_BYTES = 20;
/** Time to scan the QR code and enter a code. */
const PENDING_MS = 15 * 60_000;
const RECOVERY_CODES = 10;
/** In base 32: 60 bits. */
const RECOVERY_CHARS = 12;

/** Secrets are encrypted per user; another user's row cannot replace them. */
export function createSecondFactors({ db, clock, pepper }: SecondFactorDeps): SecondFactors {
  const seal = openSeal(pepper, "second factors");

  return {
    async begin(userId) {
      const secret = randomBytes(SECRET_BYTES);
      const pending = {
        totp_pending: seal.close(secret, contextOf(userId)),
        totp_pending_until: clock.now() + PENDING_MS,
      };
      await db.updateTable("users").set(pending).where("id", "=", userId).execute();
      return secret;
    },

    async confirm(userId, code) {
      const { pending } = await secretsOf(userId);
      const step = pending && findStep(pending.secret, code, clock.now());
      if (pending === undefined || step === undefined) return undefined;

      const codes = Array.from({ length: RECOVERY_CODES }, createRecoveryCode);
      const rows = codes.map((each) => ({ user_id: userId, digest: digest(userId, each) }));
      const isFirst = await db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("users")
          .set({ ...NO_SECOND_FACTOR, totp_secret: pending.sealed, totp_step: step })
          .where("id", "=", userId)
          .where("totp_pending", "=", pending.sealed)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await transaction.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
        await transaction.insertInto("recovery_codes").values(rows).execute();
        await transaction.deleteFrom("sessions").where("user_id", "=", userId).execute();
        return true;
      });
      return isFirst ? codes : undefined;
    },

    async spend(userId, code) {
      const { current } = await secretsOf(userId);
      if (current === undefined) return false;
      const step = findStep(current.secret, code, clock.now());
      if (step === undefined) return await spendRecoveryCode(userId, code);

      // Of two concurrent uses of one code, only the first finds the old step.
      const { numUpdatedRows } = await db
        .updateTable("users")
        .set({ totp_step: step })
        .where("id", "=", userId)
        .where("totp_secret", "=", current.sealed)
        .where("totp_step", "<", step)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async countRecoveryCodes(userId) {
      const { count } = await db
        .selectFrom("recovery_codes")
        .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      return Number(count);
    },

    async remove(userId) {
      return await db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable("users")
          .set(NO_SECOND_FACTOR)
          .where("id", "=", userId)
          .where("totp_secret", "is not", null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await transaction.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
        // If a second factor is required, sessions confirmed with this one lose access.
        await transaction
          .updateTable("sessions")
          .set({ is_confirmed: 0 })
          .where("user_id", "=", userId)
          .execute();
        return true;
      });
    },
  };

  /** The readable secrets; a pending secret only until it expires. */
  async function secretsOf(userId: number): Promise<{ current?: Kept; pending?: Kept }> {
    const row = await db
      .selectFrom("users")
      .select(["totp_secret", "totp_pending", "totp_pending_until"])
      .where("id", "=", userId)
      .executeTakeFirst();
    const isTimely = (row?.totp_pending_until ?? 0) > clock.now();
    const current = opened(userId, row?.totp_secret);
    const pending = isTimely ? opened(userId, row?.totp_pending) : undefined;
    return { ...(current && { current }), ...(pending && { pending }) };
  }

  function opened(userId: number, sealed: string | null | undefined): Kept | undefined {
    if (typeof sealed !== "string") return undefined;
    const secret = seal.open(sealed, contextOf(userId));
    if (secret === undefined)
      throw new Error(`The second factor of user ${userId} cannot be decrypted.`);
    return { sealed, secret };
  }

  async function spendRecoveryCode(userId: number, code: string): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom("recovery_codes")
      .where("user_id", "=", userId)
      .where("digest", "=", digest(userId, code))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  /** Normalises the notation of a code. */
  function digest(userId: number, code: string): string {
    const bare = code.toLowerCase().replaceAll(/[\s-]/g, "");
    return digestOf(`recovery code:${userId}:${bare}`, pepper);
  }
}

interface Kept {
  readonly sealed: string;
  readonly secret: Uint8Array;
}

function contextOf(userId: number): string {
  return `user:${userId}`;
}

function createRecoveryCode(): string {
  const code = toBase32(randomBytes(RECOVERY_CHARS)).slice(0, RECOVERY_CHARS).toLowerCase();
  return code.replaceAll(/(.{4})(?=.)/g, "$1-");
}
