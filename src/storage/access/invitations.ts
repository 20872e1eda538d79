import type { Kysely } from "kysely";
import { GatewayError } from "#core/error.ts";
import {
  INVITATION_PREFIX,
  mayStillInvite,
  type InvitationStore,
  type NamedInvitation,
} from "#core/invitation.ts";
import { createSecret, isWellFormed } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import { changed } from "../accounts/budgets.ts";
import { digestOf } from "../secrets/secrets.ts";
import type { Tables } from "../tables.ts";
import { NO_BUDGETS, writeTerms } from "../tables/budgets.ts";
import { toInvitation } from "../tables/invitations.ts";
import { toUser } from "../tables/users.ts";
import type { Passwords } from "./passwords.ts";
import { insertUser, refusedUser } from "./users.ts";

interface InvitationDeps {
  readonly db: Kysely<Tables>;
  readonly clock: Clock;
  readonly pepper: Uint8Array;
  readonly passwords: Pick<Passwords, "hash">;
}

const PAGE = 100;
const MAX_USES_SHOWN = 1_000;
/** Open invitations of one inviter. */
const MAX_OPEN = 1_000;

export function createInvitationStore({
  db,
  clock,
  pepper,
  passwords,
}: InvitationDeps): InvitationStore {
  const digest = (secret: string): string => digestOf(secret, pepper);

  return {
    async create(draft) {
      const secret = createSecret(INVITATION_PREFIX);
      const now = clock.now();
      const { id } = await db.transaction().execute(async (transaction) => {
        await requirePlace(transaction, draft.createdBy, now);
        return await transaction
          .insertInto("invitations")
          .values({
            digest: digest(secret),
            created_by: draft.createdBy,
            created_at: now,
            expires_at: draft.expiresAt,
            max_uses: draft.maxUses,
            role: draft.role,
            team_id: draft.teamId ?? null,
            is_team_owner: draft.isTeamOwner ? 1 : 0,
            group_id: draft.groupId ?? null,
            quota: draft.quota ?? null,
            budgets: draft.budgets ? writeTerms(changed(NO_BUDGETS, draft.budgets)) : null,
            email: draft.email ?? null,
            note: draft.note ?? null,
          })
          .returning("id")
          .executeTakeFirstOrThrow();
      });
      return { id, secret };
    },

    async list({ after, limit, teamId }) {
      let select = named().where("invitations.id", ">", after).orderBy("invitations.id");
      if (teamId !== undefined) select = select.where("invitations.team_id", "=", teamId);
      return (await select.limit(Math.min(limit, PAGE)).execute()).map(toNamed);
    },

    async find(id) {
      const row = await named().where("invitations.id", "=", id).executeTakeFirst();
      return row && toNamed(row);
    },

    async uses(id) {
      return await db
        .selectFrom("invitation_uses")
        .innerJoin("users", "users.id", "invitation_uses.user_id")
        .select(["users.id as userId", "users.name", "invitation_uses.at"])
        .where("invitation_uses.invitation_id", "=", id)
        .orderBy("users.id")
        .limit(MAX_USES_SHOWN)
        .execute();
    },

    async revoke(id) {
      const { numUpdatedRows } = await db
        .updateTable("invitations")
        .set({ revoked_at: clock.now() })
        .where("id", "=", id)
        .where("revoked_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async findOpen(secret) {
      if (!isWellFormed(secret, INVITATION_PREFIX)) return undefined;
      const row = await named()
        .where("invitations.digest", "=", digest(secret))
        .where("invitations.revoked_at", "is", null)
        .where("invitations.expires_at", ">", clock.now())
        .whereRef("invitations.uses", "<", "invitations.max_uses")
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const found = toNamed(row);
      return (await isInviterGood(db, found)) ? found : undefined;
    },

    async accept(secret, { password, ...person }) {
      if (!isWellFormed(secret, INVITATION_PREFIX)) return undefined;
      const hash = password === undefined ? null : await passwords.hash(password);
      const now = clock.now();
      try {
        return await db.transaction().execute(async (transaction) => {
          const invitation = await countUse(transaction, digest(secret), now);
          if (invitation === undefined) return undefined;
          // Thrown, so that the use is not counted.
          if (!(await isInviterGood(transaction, invitation))) throw new Ended();
          const { id, role, teamId, isTeamOwner, groupId, quota, budgets } = invitation;
          const place = defined({ teamId, groupId, quota, budgets });
          const draft = { ...person, role, isTeamOwner, ...place };
          const user = await insertUser(transaction, draft, hash, now);
          const use = { invitation_id: id, user_id: user.id, at: now };
          await transaction.insertInto("invitation_uses").values(use).execute();
          return user;
        });
      } catch (cause) {
        if (cause instanceof Ended) return undefined;
        throw refusedUser(cause);
      }
    },

    async prune(before, limit) {
      return await db.transaction().execute(async (transaction) => {
        const rows = await transaction
          .selectFrom("invitations")
          .select("id")
          .where(({ or, eb }) => or([eb("expires_at", "<", before), eb("revoked_at", "<", before)]))
          .orderBy("id")
          .limit(limit)
          .execute();
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return 0;
        await transaction.deleteFrom("invitation_uses").where("invitation_id", "in", ids).execute();
        await transaction.deleteFrom("invitations").where("id", "in", ids).execute();
        return ids.length;
      });
    },
  };

  function named() {
    return db
      .selectFrom("invitations")
      .innerJoin("users", "users.id", "invitations.created_by")
      .leftJoin("teams", "teams.id", "invitations.team_id")
      .leftJoin("groups", "groups.id", "invitations.group_id")
      .selectAll("invitations")
      .select(["users.name as inviter", "teams.name as team", "groups.name as group"]);
  }
}

class Ended extends Error {}

/** Locks the row, so that each of two concurrent uses sees the other. */
async function countUse(db: Kysely<Tables>, digest: string, now: number) {
  const row = await db
    .updateTable("invitations")
    .set(({ eb, ref }) => ({ uses: eb(ref("uses"), "+", 1) }))
    .where("digest", "=", digest)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "max_uses")
    .returningAll()
    .executeTakeFirst();
  return row && toInvitation(row);
}

async function isInviterGood(
  db: Kysely<Tables>,
  invitation: Parameters<typeof mayStillInvite>[1] & { readonly createdBy: number },
): Promise<boolean> {
  const row = await db
    .selectFrom("users")
    .selectAll()
    .where("id", "=", invitation.createdBy)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return row !== undefined && mayStillInvite(toUser(row), invitation);
}

async function requirePlace(db: Kysely<Tables>, createdBy: number, now: number): Promise<void> {
  const { count } = await db
    .selectFrom("invitations")
    .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
    .where("created_by", "=", createdBy)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .whereRef("uses", "<", "max_uses")
    .executeTakeFirstOrThrow();
  if (Number(count) < MAX_OPEN) return;
  throw new GatewayError(
    "invalid_request",
    `You have ${MAX_OPEN} open invitations, which is the limit. Revoke some first.`,
  );
}

type NamedRow = Parameters<typeof toInvitation>[0] & {
  readonly inviter: string;
  readonly team: string | null;
  readonly group: string | null;
};

function toNamed(row: NamedRow): NamedInvitation {
  const { inviter, team, group } = row;
  return { ...toInvitation(row), inviter, team: team ?? undefined, group: group ?? undefined };
}
