import type { Kysely, RawBuilder } from "kysely";
import type {
  IdentityChange,
  IdentitySession,
  IdentitySessionStore,
} from "#core/identity-session.ts";
import { countDeleted } from "../count-deleted.ts";
import type { Tables } from "../tables.ts";
import { groupRow } from "../tables/assets.ts";
import { changedColumns, rowOf, toSession } from "../tables/identity-sessions.ts";
import { NO_USER } from "../tables/users.ts";

interface IdentitySessionStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

const MAX_PRUNED = 1_000;

export function createIdentitySessionStore({
  db,
  sharedNow,
}: IdentitySessionStoreDeps): IdentitySessionStore {
  return {
    async add(session) {
      await db.insertInto("identity_sessions").values(rowOf(session)).execute();
    },

    async findByToken(userId, tokenDigest) {
      const row = await all()
        .where("user_id", "=", userId)
        .where("token_digest", "=", tokenDigest)
        .executeTakeFirst();
      return row && toSession(row);
    },

    async findByReturn(returnDigest) {
      const row = await all().where("return_digest", "=", returnDigest).executeTakeFirst();
      return row && toSession(row);
    },

    async list(userId, skip, limit) {
      let found = db.selectFrom("identity_sessions");
      if (userId !== undefined) found = found.where("user_id", "=", userId);
      // Ids begin with the time, so their order is that of creation.
      const page = found.selectAll().orderBy("id", "desc").offset(skip).limit(limit);
      const rows = await page.execute();
      const { total } = await found
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow();
      return { sessions: rows.map(toSession), total: Number(total) };
    },

    async countOpen(userId, now) {
      const { open } = await db
        .selectFrom("identity_sessions")
        .select(({ fn }) => fn.countAll<number>().as("open"))
        .where("user_id", "=", userId)
        .where("ends_at", ">", now)
        .where("state", "!=", "passed")
        .executeTakeFirstOrThrow();
      return Number(open);
    },

    change: (session, change) => changeOn(db, session, change),

    async pass(session, group, change) {
      return await db
        .transaction()
        .execute(async (transaction) => {
          const { numInsertedOrUpdatedRows } = await transaction
            .insertInto("asset_groups")
            .values(groupRow(group))
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirstOrThrow();
          if ((numInsertedOrUpdatedRows ?? 0n) === 0n) return "taken" as const;
          const passing = { ...change, state: "passed", groupId: group.id } as const;
          const passed = await changeOn(transaction, session, passing);
          if (passed === undefined) throw new ConcurrentChange();
          return passed;
        })
        .catch((cause: unknown) => {
          if (cause instanceof ConcurrentChange) return undefined;
          throw cause;
        });
    },

    async listUnresolved(channel, since) {
      const rows = await db
        .selectFrom("identity_sessions")
        .select("id")
        .where("channel", "=", channel)
        .where("ends_at", ">", since)
        .where("state", "!=", "passed")
        .execute();
      return rows.map(({ id }) => id);
    },

    async lease(leaseMs, limit, busyUsers = []) {
      const rows = await db
        .updateTable("identity_sessions")
        .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where("id", "in", (due) =>
          due
            .selectFrom("identity_sessions")
            .select("id")
            .where("due_at", "<=", sharedNow())
            .where("lease_until", "<=", sharedNow())
            .where("user_id", "not in", [...busyUsers, NO_USER])
            .orderBy("due_at")
            .limit(limit),
        )
        // Of two concurrent leases of one row, the second finds it leased.
        .where("lease_until", "<=", sharedNow())
        .returningAll()
        .execute();
      return rows.map(toSession);
    },

    async prune(before, limit) {
      return await countDeleted(
        db
          .deleteFrom("identity_sessions")
          .where("id", "in", (old) =>
            old
              .selectFrom("identity_sessions")
              .select("id")
              .where("ends_at", "<", before)
              .limit(Math.min(limit, MAX_PRUNED)),
          ),
      );
    },
  };

  function all() {
    return db.selectFrom("identity_sessions").selectAll();
  }
}

/** A concurrent change of the session: the transaction is rolled back. */
class ConcurrentChange extends Error {}

async function changeOn(
  db: Kysely<Tables>,
  session: IdentitySession,
  change: IdentityChange,
): Promise<IdentitySession | undefined> {
  const changed = await db
    .updateTable("identity_sessions")
    .set(changedColumns(session, change))
    .where("id", "=", session.id)
    .where("version", "=", session.version)
    .returningAll()
    .executeTakeFirst();
  return changed && toSession(changed);
}
