import type { Kysely, RawBuilder } from "kysely";
import { GatewayError } from "#core/error.ts";
import { externalIdTaken, MAY_FOLLOW, type TaskStore } from "#core/task.ts";
import { isUniqueViolation } from "../database/unique.ts";
import type { Tables } from "../tables.ts";
import { changedColumns, rowOf, toTask } from "../tables/tasks.ts";

interface TaskStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

const MAX_PRUNED = 1_000;

export function createTaskStore({ db, sharedNow }: TaskStoreDeps): TaskStore {
  return {
    async create(task, owner, leaseMs, ownsExternalId = false) {
      const inserting = db.insertInto("tasks").values(({ eb }) => ({
        ...rowOf(task),
        owns_external_id: ownsExternalId && task.facts.externalId !== undefined ? 1 : 0,
        lease_owner: owner,
        lease_until: eb(sharedNow(), "+", leaseMs),
        hurried: 0,
        removed: 0,
      }));
      try {
        await inserting.execute();
      } catch (cause) {
        throw isUniqueViolation(cause) ? externalIdTaken(cause) : cause;
      }
    },

    async find(userId, id) {
      const row = await own(userId).where("id", "=", id).executeTakeFirst();
      return row && toTask(row);
    },

    async findByExternalId(userId, externalId) {
      const row = await own(userId)
        .where("external_id", "=", externalId)
        .orderBy("created_at", "desc")
        .executeTakeFirst();
      return row && toTask(row);
    },

    async findByUpstream(channel, upstreamId) {
      const row = await db
        .selectFrom("tasks")
        .selectAll()
        .where("channel", "=", channel)
        .where("upstream_id", "=", upstreamId)
        .executeTakeFirst();
      return row && toTask(row);
    },

    async findAny(id) {
      const row = await db.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst();
      return row && toTask(row);
    },

    async list({ userId, after, limit, order }) {
      let query = own(userId).orderBy("created_at", order).orderBy("id", order).limit(limit);
      if (after !== undefined) {
        const last = await own(userId).where("id", "=", after).executeTakeFirst();
        if (last === undefined) return [];
        const beyond = order === "asc" ? ">" : "<";
        query = query.where(({ eb, and, or }) =>
          or([
            eb("created_at", beyond, last.created_at),
            and([eb("created_at", "=", last.created_at), eb("id", beyond, last.id)]),
          ]),
        );
      }
      return (await query.execute()).map(toTask);
    },

    async page({ userId, skip, limit, statuses, model, ids }) {
      const wanted = own(userId).where(({ eb, and }) =>
        and([
          ...(statuses === undefined ? [] : [eb("status", "in", statuses)]),
          ...(model === undefined ? [] : [eb("model", "=", model)]),
          ...(ids === undefined ? [] : [eb("id", "in", ids)]),
        ]),
      );
      const rows = await wanted
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset(skip)
        .execute();
      const { total } = await wanted
        .clearSelect()
        .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("total"))
        .executeTakeFirstOrThrow();
      return { tasks: rows.map(toTask), total: Number(total) };
    },

    async search({ userId, hidesRemoved, statuses, model, before, limit }) {
      let found = db
        .selectFrom("tasks")
        .select("id")
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(limit);
      if (userId !== undefined) found = found.where("user_id", "=", userId);
      if (hidesRemoved) found = found.where("removed", "=", 0);
      if (statuses !== undefined) found = found.where("status", "in", statuses);
      if (model !== undefined) found = found.where("model", "=", model);
      if (before !== undefined) {
        let position = db.selectFrom("tasks").select("created_at").where("id", "=", before);
        if (userId !== undefined) position = position.where("user_id", "=", userId);
        const last = await position.executeTakeFirst();
        if (last === undefined) return [];
        found = found.where(({ eb, and, or }) =>
          or([
            eb("created_at", "<", last.created_at),
            and([eb("created_at", "=", last.created_at), eb("id", "<", before)]),
          ]),
        );
      }
      // Sorted without the details, which are most of a row.
      const rows = await db
        .selectFrom("tasks")
        .selectAll()
        .where("id", "in", found)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toTask);
    },

    async lease(owner, leaseMs, limit) {
      const rows = await db
        .updateTable("tasks")
        .set(({ eb }) => ({ lease_owner: owner, lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where("id", "in", (open) =>
          open
            .selectFrom("tasks")
            .select("id")
            .where("settled", "=", 0)
            .where("lease_until", "<=", sharedNow())
            .orderBy("due_at")
            .limit(limit),
        )
        // Of two concurrent leases of one row, the second finds it leased.
        .where("lease_until", "<=", sharedNow())
        .returningAll()
        .execute();
      return rows.map(toTask);
    },

    async prolong(owner, leaseMs) {
      const { numUpdatedRows } = await db
        .updateTable("tasks")
        .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where("lease_owner", "=", owner)
        .where("settled", "=", 0)
        .where("lease_until", ">", sharedNow())
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },

    async release(owner, id) {
      let update = db
        .updateTable("tasks")
        .set({ lease_owner: null, lease_until: 0 })
        .where("lease_owner", "=", owner);
      if (id !== undefined) update = update.where("id", "=", id);
      await update.execute();
    },

    async requestPoll(id) {
      await db.updateTable("tasks").set({ hurried: 1 }).where("id", "=", id).execute();
    },

    async leaseUrgent(owner) {
      const rows = await db
        .updateTable("tasks")
        .set({ hurried: 0 })
        .where("lease_owner", "=", owner)
        .where("hurried", "=", 1)
        .returning("id")
        .execute();
      return rows.map(({ id }) => id);
    },

    async change(task, change, owner) {
      const { status } = change;
      if (status !== undefined && !MAY_FOLLOW[status].includes(task.status)) return undefined;

      let update = db
        .updateTable("tasks")
        .set(changedColumns(task, change))
        .where("id", "=", task.id)
        .where("version", "=", task.version);
      if (owner !== undefined) {
        update = update.where("lease_owner", "=", owner).where("lease_until", ">", sharedNow());
      }
      try {
        const changed = await update.returningAll().executeTakeFirst();
        return changed && toTask(changed);
      } catch (cause) {
        if (!isUniqueViolation(cause)) throw cause;
        const message = "The upstream returned a task id that another task already has.";
        throw new GatewayError("upstream_failed", message, { cause });
      }
    },

    async remove(userId, id) {
      const { numUpdatedRows } = await db
        .updateTable("tasks")
        .set({ removed: 1 })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .where("removed", "=", 0)
        .where("status", "in", ["succeeded", "failed"])
        .executeTakeFirstOrThrow();
      if (numUpdatedRows > 0n) await dropMedia([id]);
      return numUpdatedRows > 0n;
    },

    async prune(before, limit) {
      const old = await db
        .selectFrom("tasks")
        .select("id")
        .where("settled", "=", 1)
        // Not due since its end, a condition that the index covers.
        .where("due_at", "<", before)
        .where("finished_at", "<", before)
        .limit(Math.min(limit, MAX_PRUNED))
        .execute();
      const ids = old.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await dropMedia(ids);
      const { numDeletedRows } = await db
        .deleteFrom("tasks")
        .where("id", "in", ids)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
  };

  function own(userId: number) {
    return db
      .selectFrom("tasks")
      .selectAll()
      .where("user_id", "=", userId)
      .where("removed", "=", 0);
  }

  /** Marks the media copies of deleted tasks for deletion. */
  async function dropMedia(taskIds: readonly string[]): Promise<void> {
    await db.updateTable("media").set({ created_at: 0 }).where("task_id", "in", taskIds).execute();
  }
}
