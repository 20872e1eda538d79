import type { Kysely, RawBuilder } from "kysely";
import type { AssetQuery, AssetStore, Busy } from "#core/asset.ts";
import type { Tables } from "../tables.ts";
import { text } from "../tables/columns.ts";
import { assetRow, changedColumns, groupRow, toAsset, toGroup } from "../tables/assets.ts";
import { NO_USER } from "../tables/users.ts";

const NOT_BUSY: Busy = { users: [], channels: [] };

interface AssetStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

export function createAssetStore({ db, sharedNow }: AssetStoreDeps): AssetStore {
  return {
    async addGroup(group) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("asset_groups")
        .values(groupRow(group))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async findGroup(userId, id) {
      const row = await db
        .selectFrom("asset_groups")
        .selectAll()
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .executeTakeFirst();
      return row && toGroup(row);
    },

    async listGroups(userId, skip, limit) {
      const ofUser = db.selectFrom("asset_groups").where("user_id", "=", userId);
      const rows = await ofUser
        .selectAll()
        .select((group) =>
          group
            .selectFrom("assets")
            .select(({ fn }) => fn.countAll<number>().as("assets"))
            .whereRef("assets.group_id", "=", "asset_groups.id")
            .where("assets.user_id", "=", userId)
            .where("removed", "=", 0)
            .as("assets"),
        )
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .offset(skip)
        .limit(limit)
        .execute();
      const { total } = await ofUser
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow();
      const groups = rows.map((row) => ({ ...toGroup(row), assets: Number(row.assets) }));
      return { groups, total: Number(total) };
    },

    async findGroupAt(channel, upstreamId) {
      const row = await db
        .selectFrom("asset_groups")
        .selectAll()
        .where("channel", "=", channel)
        .where("upstream_id", "=", upstreamId)
        .executeTakeFirst();
      return row && toGroup(row);
    },

    async renameGroup(userId, id, name, now) {
      const { numUpdatedRows } = await db
        .updateTable("asset_groups")
        .set({ name: text(name), updated_at: now })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async add(asset) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("assets")
        .values(assetRow(asset))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },

    async find(userId, id) {
      const row = await present()
        .where("assets.user_id", "=", userId)
        .where("assets.id", "=", id)
        .executeTakeFirst();
      return row && toAsset(row);
    },

    async findAny(id) {
      const row = await present().where("assets.id", "=", id).executeTakeFirst();
      return row && toAsset(row);
    },

    async list(query) {
      const rows = await matching(query)
        .orderBy("assets.created_at", "desc")
        .orderBy("assets.id", "desc")
        .offset(query.skip)
        .limit(query.limit)
        .execute();
      const { total } = await matching(query)
        .clearSelect()
        .select(({ fn }) => fn.countAll<number>().as("total"))
        .executeTakeFirstOrThrow();
      return { assets: rows.map(toAsset), total: Number(total) };
    },

    async stockOf(userId) {
      const { groups } = await db
        .selectFrom("asset_groups")
        .select(({ fn }) => fn.countAll<number>().as("groups"))
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      const { assets, bytes } = await db
        .selectFrom("assets")
        .select(({ fn }) => [
          fn.countAll<number>().as("assets"),
          fn.sum<number | null>("size_bytes").as("bytes"),
        ])
        .where("user_id", "=", userId)
        .where("removed", "=", 0)
        .executeTakeFirstOrThrow();
      return { groups: Number(groups), assets: Number(assets), bytes: Number(bytes ?? 0) };
    },

    async rename(userId, id, name, now) {
      const { numUpdatedRows } = await db
        .updateTable("assets")
        .set({ name: text(name), updated_at: now })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .where("removed", "=", 0)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async change(id, change) {
      const row = await present().where("assets.id", "=", id).executeTakeFirst();
      if (row === undefined) return undefined;
      if (change.status !== undefined && row.status !== "pending") return undefined;
      const changed = await db
        .updateTable("assets")
        .set(changedColumns(toAsset(row), change))
        .where("id", "=", id)
        .where("removed", "=", 0)
        // Of two concurrent changes of a pending asset, the second finds it changed.
        .where("status", "=", row.status)
        .returningAll()
        .executeTakeFirst();
      return changed && toAsset(changed);
    },

    async lease(leaseMs, limit, { users, channels } = NOT_BUSY) {
      const rows = await db
        .updateTable("assets")
        .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where("id", "in", (due) =>
          due
            .selectFrom("assets")
            .select("id")
            .where("status", "=", "pending")
            .where("removed", "=", 0)
            .where("due_at", "<=", sharedNow())
            .where("lease_until", "<=", sharedNow())
            .where(({ eb, or }) =>
              or([
                eb("channel", "is not", null).and("channel", "not in", [...channels, ""]),
                eb("channel", "is", null).and("user_id", "not in", [...users, NO_USER]),
              ]),
            )
            .orderBy("due_at")
            .limit(limit),
        )
        // Of two concurrent leases of one row, the second finds it leased.
        .where("lease_until", "<=", sharedNow())
        .returningAll()
        .execute();
      return rows.map(toAsset);
    },

    async remove(userId, id) {
      const { numUpdatedRows } = await db
        .updateTable("assets")
        .set({ removed: 1 })
        .where("user_id", "=", userId)
        .where("id", "=", id)
        .where("removed", "=", 0)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async listRemoved(limit) {
      const rows = await db
        .selectFrom("assets")
        .selectAll()
        .where("removed", "=", 1)
        .limit(limit)
        .execute();
      return rows.map(toAsset);
    },

    async forget(id) {
      await db.deleteFrom("assets").where("id", "=", id).where("removed", "=", 1).execute();
    },
  };

  function present() {
    return db.selectFrom("assets").selectAll("assets").where("removed", "=", 0);
  }

  function matching({ userId, groupIds, groupKind, statuses, type, name }: AssetQuery) {
    let query = present();
    if (userId !== undefined) query = query.where("assets.user_id", "=", userId);
    if (type !== undefined) query = query.where("type", "=", type);
    if (groupIds !== undefined) query = query.where("group_id", "in", groupIds);
    if (statuses !== undefined) query = query.where("status", "in", statuses);
    if (name !== undefined) {
      query = query.where(({ eb, fn, val }) =>
        eb(
          fn<string>("replace", ["assets.name", val(text(name)), val("")]),
          "!=",
          eb.ref("assets.name"),
        ),
      );
    }
    if (groupKind === undefined) return query;
    return query.where("group_id", "in", (groups) => {
      const ofKind = groups.selectFrom("asset_groups").select("id").where("kind", "=", groupKind);
      return userId === undefined ? ofKind : ofKind.where("user_id", "=", userId);
    });
  }
}
