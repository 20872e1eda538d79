import type { Kysely, RawBuilder } from "kysely";
import type { Alert, AlertChange, AlertEvent, AlertStore } from "#core/alert.ts";
import { NO_RECIPIENT } from "#core/webhook-delivery.ts";
import { countDeleted } from "../count-deleted.ts";
import type { Tables } from "../tables.ts";
import { toAlert } from "../tables/alerts.ts";
import { rowOf } from "../tables/notices.ts";

interface AlertStoreDeps {
  readonly db: Kysely<Tables>;
  readonly instance: string;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

const MAX_OPEN = 2_000;
const PAGE = 200;
const LEASE_ID = 1;

export function createAlerts({ db, instance, sharedNow }: AlertStoreDeps): AlertStore {
  return {
    async open() {
      const rows = await db
        .selectFrom("alerts")
        .selectAll()
        .where("open_key", "is not", null)
        .orderBy("began_at")
        .limit(MAX_OPEN)
        .execute();
      return rows.map(toAlert);
    },

    async list({ state, kind, before, limit }) {
      let query = db
        .selectFrom("alerts")
        .selectAll()
        .orderBy("id", "desc")
        .limit(Math.min(limit, PAGE));
      if (state !== undefined) {
        query = query.where("ended_at", state === "open" ? "is" : "is not", null);
      }
      if (kind !== undefined) query = query.where("kind", "=", kind);
      // Ids begin with the time.
      if (before !== undefined) query = query.where("id", "<", before);
      return (await query.execute()).map(toAlert);
    },

    async acknowledge(id, by, now) {
      const { numUpdatedRows } = await db
        .updateTable("alerts")
        .set({ acknowledged_at: now, acknowledged_by: by })
        .where("id", "=", id)
        .where("open_key", "is not", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async silence(id, until) {
      const { numUpdatedRows } = await db
        .updateTable("alerts")
        .set({ silenced_until: until })
        .where("id", "=", id)
        .where("open_key", "is not", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async lease(ms) {
      const { numUpdatedRows } = await db
        .updateTable("alert_lease")
        .set(({ eb }) => ({ holder: instance, lease_until: eb(sharedNow(), "+", ms) }))
        .where("id", "=", LEASE_ID)
        .where(({ eb, or }) =>
          or([eb("holder", "=", instance), eb("lease_until", "<=", sharedNow())]),
        )
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async release() {
      await db
        .updateTable("alert_lease")
        .set({ lease_until: 0 })
        .where("holder", "=", instance)
        .execute();
    },

    async apply(changes, now) {
      return await db.transaction().execute(async (transaction) => {
        // Locks the lease until the changes are written.
        const { numUpdatedRows } = await transaction
          .updateTable("alert_lease")
          .set({ holder: instance })
          .where("id", "=", LEASE_ID)
          .where("holder", "=", instance)
          .where("lease_until", ">", sharedNow())
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        for (const change of changes) await write(transaction, change, now);
        return true;
      });
    },

    add: (change, now) =>
      db.transaction().execute((transaction) => write(transaction, change, now)),

    async prune(before, limit) {
      return await countDeleted(
        db
          .deleteFrom("alerts")
          .where("id", "in", (old) =>
            old.selectFrom("alerts").select("id").where("ended_at", "<", before).limit(limit),
          ),
      );
    },
  };
}

async function write(
  db: Kysely<Tables>,
  { alert, event, destinations }: AlertChange,
  now: number,
): Promise<void> {
  const state = {
    level: alert.level,
    text: alert.text,
    open_key: alert.endedAt === undefined ? `${alert.ruleId}:${alert.subject}` : null,
    seen_at: alert.seenAt,
    ended_at: alert.endedAt ?? null,
    told_level: alert.toldLevel ?? null,
    told_at: alert.toldAt ?? null,
    messages: alert.messages,
  };
  await db
    .insertInto("alerts")
    .values({
      ...state,
      id: alert.id,
      rule_id: alert.ruleId,
      rule_name: alert.ruleName,
      kind: alert.kind,
      subject: alert.subject,
      began_at: alert.beganAt,
      acknowledged_at: null,
      acknowledged_by: null,
      silenced_until: null,
    })
    // Acknowledgements and silences of people stay.
    .onConflict((conflict) => conflict.column("id").doUpdateSet(state))
    .execute();
  if (event === undefined) return;
  for (const destinationId of destinations) {
    await db
      .insertInto("notices")
      .values(
        rowOf({
          id: `${alert.id}.${alert.messages}.${destinationId}`,
          userId: NO_RECIPIENT,
          taskId: alert.id,
          url: "",
          destinationId,
          body: JSON.stringify(bodyOf(alert, event, now)),
          state: "pending",
          attempts: 0,
          createdAt: now,
          dueAt: now,
        }),
      )
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  }
}

function bodyOf(alert: Alert, event: AlertEvent, at: number) {
  return { event, at, alert };
}
