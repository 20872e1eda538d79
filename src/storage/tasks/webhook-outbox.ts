import type { Kysely, RawBuilder } from "kysely";
import type { WebhookOutbox } from "#core/webhook-delivery.ts";
import { countDeleted } from "../count-deleted.ts";
import type { Tables } from "../tables.ts";
import { rowOf, toNotice } from "../tables/notices.ts";

interface NoticeStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

const MAX_PRUNED = 1_000;

export function createWebhookOutbox({ db, sharedNow }: NoticeStoreDeps): WebhookOutbox {
  return {
    async add(delivery) {
      await db
        .insertInto("notices")
        .values(rowOf(delivery))
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
    },

    async lease(leaseMs, limit) {
      const rows = await db
        .updateTable("notices")
        .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where("id", "in", (due) =>
          due
            .selectFrom("notices")
            .select("id")
            .where("state", "=", "pending")
            .where("due_at", "<=", sharedNow())
            .where("lease_until", "<=", sharedNow())
            .orderBy("due_at")
            .limit(limit),
        )
        .where("lease_until", "<=", sharedNow())
        .returningAll()
        .execute();
      return rows.map(toNotice);
    },

    async tried(id, { state, attempts, dueAt, lastError }) {
      await db
        .updateTable("notices")
        .set({ state, attempts, due_at: dueAt, last_error: lastError ?? null, lease_until: 0 })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .execute();
    },

    async list({ userId, state, before, limit }) {
      let query = db
        .selectFrom("notices")
        .selectAll()
        .where("user_id", "=", userId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit);
      if (state !== undefined) query = query.where("state", "=", state);
      if (before !== undefined) {
        const last = await db
          .selectFrom("notices")
          .select(["created_at", "id"])
          .where("user_id", "=", userId)
          .where("id", "=", before)
          .executeTakeFirst();
        if (last === undefined) return [];
        query = query.where(({ eb, and, or }) =>
          or([
            eb("created_at", "<", last.created_at),
            and([eb("created_at", "=", last.created_at), eb("id", "<", last.id)]),
          ]),
        );
      }
      return (await query.execute()).map(toNotice);
    },

    async redeliver(userId, id, now) {
      const { numUpdatedRows } = await db
        .updateTable("notices")
        .set({ state: "pending", attempts: 0, due_at: now, last_error: null })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async prune(before, limit) {
      return await countDeleted(
        db.deleteFrom("notices").where("id", "in", (old) =>
          old
            .selectFrom("notices")
            .select("id")
            .where("state", "in", ["delivered", "dead"])
            // Not due since the last attempt, a condition that the index covers.
            .where("due_at", "<", before)
            .where("created_at", "<", before)
            .limit(Math.min(limit, MAX_PRUNED)),
        ),
      );
    },
  };
}
