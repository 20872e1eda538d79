import type { Kysely } from "kysely";
import { createSecret, isWellFormed } from "#core/key.ts";
import type { Logins } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import type { Passwords } from "./passwords.ts";
import { digestOf } from "../secrets/secrets.ts";
import { issueSetupToken, spendSetupToken } from "./setup.ts";
import type { Tables } from "../tables.ts";
import { toUser, USER_STATUS } from "../tables/users.ts";
import { isUniqueViolation } from "../database/unique.ts";
import { ROOT_ID, takenByUser } from "./users.ts";

interface LoginDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
  readonly passwords: Passwords;
}

export interface LoginStore extends Logins {
  /** A set-up token for the operator while the root account has no login; undefined afterwards. */
  issueSetupToken(): Promise<string | undefined>;
}

const SESSION_PREFIX = "slc-session_";
/** A session ends after this idle time, and at the latest after this time since its login. */
const IDLE_MS = 30 * 60_000;
const ABSOLUTE_MS = 12 * 3_600_000;
/** Per user; the least recently used session is ended. */
const MAX_SESSIONS = 5;
const ID_CHARS = 16;
/** Write the time of last use at most this often. */
const SEEN_EVERY_MS = 60_000;

export function createLogins({ db, clock, pepper, passwords }: LoginDeps): LoginStore {
  const digest = (secret: string): string => digestOf(secret, pepper);

  return {
    async accountName(login) {
      const given = comparable(login);
      if (!given.includes("@")) return given;
      const row = await db
        .selectFrom("users")
        .select("name")
        .where("email", "=", given)
        .executeTakeFirst();
      return row?.name ?? given;
    },

    async checkPassword(login, password) {
      const given = comparable(login);
      const row = await db
        .selectFrom("users")
        .selectAll()
        .where(given.includes("@") ? "email" : "name", "=", given)
        .executeTakeFirst();
      const isRight = await passwords.verify(password, row?.password);
      const isPerson = row?.is_service === 0;
      return isRight && isPerson && row.status === USER_STATUS.enabled ? toUser(row) : undefined;
    },

    async startSession(userId, { isConfirmed = false, network, userAgent } = {}) {
      const secret = createSecret(SESSION_PREFIX);
      const now = clock.now();
      await db.transaction().execute(async (transaction) => {
        const living = await livingSessions(transaction, userId, now)
          .select("digest")
          .limit(MAX_SESSIONS - 1)
          .execute();
        const kept = living.map((each) => each.digest);
        let others = transaction.deleteFrom("sessions").where("user_id", "=", userId);
        if (kept.length > 0) others = others.where("digest", "not in", kept);
        await others.execute();
        await transaction
          .insertInto("sessions")
          .values({
            digest: digest(secret),
            user_id: userId,
            created_at: now,
            seen_at: now,
            is_confirmed: isConfirmed ? 1 : 0,
            network: network ?? null,
            user_agent: userAgent ?? null,
          })
          .execute();
      });
      return secret;
    },

    async endSession(secret) {
      if (!isWellFormed(secret, SESSION_PREFIX)) return;
      await db.deleteFrom("sessions").where("digest", "=", digest(secret)).execute();
    },

    async endOtherSessions(userId, kept) {
      let others = db.deleteFrom("sessions").where("user_id", "=", userId);
      if (kept !== undefined) others = others.where("digest", "!=", digest(kept));
      const { numDeletedRows } = await others.executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },

    async endSessionOf(userId, id) {
      const living = await livingSessions(db, userId, clock.now()).select("digest").execute();
      const found = living.find((each) => idOf(each.digest) === id);
      if (found === undefined) return false;
      await db.deleteFrom("sessions").where("digest", "=", found.digest).execute();
      return true;
    },

    async listSessions(userId, own) {
      const rows = await livingSessions(db, userId, clock.now()).selectAll().execute();
      const ownDigest = own === undefined ? undefined : digest(own);
      return rows.map((row) => ({
        id: idOf(row.digest),
        createdAt: row.created_at,
        seenAt: row.seen_at,
        isOwn: row.digest === ownDigest,
        ...(row.network === null ? {} : { network: row.network }),
        ...(row.user_agent === null ? {} : { userAgent: row.user_agent }),
      }));
    },

    async findBySession(secret) {
      if (!isWellFormed(secret, SESSION_PREFIX)) return undefined;
      const now = clock.now();
      const session = digest(secret);
      const row = await db
        .selectFrom("sessions")
        .innerJoin("users", "users.id", "sessions.user_id")
        .selectAll("users")
        .select(["sessions.seen_at", "sessions.is_confirmed"])
        .where("sessions.digest", "=", session)
        .where("sessions.seen_at", ">", now - IDLE_MS)
        .where("sessions.created_at", ">", now - ABSOLUTE_MS)
        .where("users.status", "=", USER_STATUS.enabled)
        .where("users.is_service", "=", 0)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      if (row.seen_at <= now - SEEN_EVERY_MS) {
        await db
          .updateTable("sessions")
          .set({ seen_at: now })
          .where("digest", "=", session)
          .execute();
      }
      return { user: toUser(row), isConfirmed: row.is_confirmed === 1 };
    },

    issueSetupToken: () => issueSetupToken(db, digest, clock),

    async setUp(token, email, password) {
      const hash = await passwords.hash(password);
      try {
        const login = { email: email.toLowerCase(), password: hash };
        if (!(await spendSetupToken(db, digest, clock, token, login))) return undefined;
      } catch (cause) {
        throw isUniqueViolation(cause) ? takenByUser(cause) : cause;
      }
      const row = await db
        .selectFrom("users")
        .selectAll()
        .where("id", "=", ROOT_ID)
        .where("status", "=", USER_STATUS.enabled)
        .executeTakeFirst();
      return row && toUser(row);
    },
  };
}

/** The beginning of a keyed digest, from which no secret follows. */
function idOf(digest: string): string {
  return digest.slice(0, ID_CHARS);
}

/** Most recently used first. */
function livingSessions(db: Kysely<Tables>, userId: number, now: number) {
  return db
    .selectFrom("sessions")
    .where("user_id", "=", userId)
    .where("seen_at", ">", now - IDLE_MS)
    .where("created_at", ">", now - ABSOLUTE_MS)
    .orderBy("seen_at", "desc");
}

function comparable(login: string): string {
  return login.trim().toLowerCase();
}
