import type { Kysely, RawBuilder } from "kysely";
import type { MediaCopyStore, TaskFile } from "#core/kept-media.ts";
import type { Tables } from "../tables.ts";
import { toCopy } from "../tables/media.ts";

interface MediaCopyStoreDeps {
  readonly db: Kysely<Tables>;
  /** Unix ms from the clock that all gateways of the database share. */
  sharedNow(): RawBuilder<number>;
}

export function createMediaCopyStore({ db, sharedNow }: MediaCopyStoreDeps): MediaCopyStore {
  return {
    async want(files, place, now) {
      if (files.length === 0) return;
      await db
        .insertInto("media")
        .values(
          files.map((file) => ({
            ...keyOf(file),
            state: "wanted",
            store: place,
            attempts: 0,
            created_at: now,
            due_at: now,
            lease_until: 0,
          })),
        )
        .onConflict((conflict) =>
          conflict.columns(["task_id", "video_index", "variant"]).doNothing(),
        )
        .execute();
    },

    async find(file) {
      const row = await db
        .selectFrom("media")
        .selectAll()
        .where(({ and }) => and(keyOf(file)))
        .where("state", "=", "kept")
        .executeTakeFirst();
      return row && toCopy(row);
    },

    async lease(leaseMs, limit) {
      const due = await db
        .selectFrom("media")
        .select(["task_id", "video_index", "variant"])
        .where("state", "=", "wanted")
        .where("due_at", "<=", sharedNow())
        .where("lease_until", "<=", sharedNow())
        .orderBy("due_at")
        .limit(limit)
        .execute();
      const leased = [];
      for (const key of due) {
        const row = await db
          .updateTable("media")
          .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
          .where(({ and }) => and(key))
          .where("state", "=", "wanted")
          // Of two concurrent leases of one row, the second finds it leased.
          .where("lease_until", "<=", sharedNow())
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) leased.push(toCopy(row));
      }
      return leased;
    },

    async prolong(file, leaseMs) {
      await db
        .updateTable("media")
        .set(({ eb }) => ({ lease_until: eb(sharedNow(), "+", leaseMs) }))
        .where(({ and }) => and(keyOf(file)))
        .where("state", "=", "wanted")
        .execute();
    },

    async keep(file, { sizeBytes, mediaType, digest, at }) {
      const { numUpdatedRows } = await db
        .updateTable("media")
        .set({
          state: "kept",
          size_bytes: sizeBytes,
          media_type: mediaType,
          digest,
          kept_at: at,
          lease_until: 0,
        })
        .where(({ and }) => and(keyOf(file)))
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async missed(file, attempts, dueAt) {
      await db
        .updateTable("media")
        .set({
          attempts,
          lease_until: 0,
          ...(dueAt === undefined ? { state: "given_up" } : { due_at: dueAt }),
        })
        .where(({ and }) => and(keyOf(file)))
        .where("state", "=", "wanted")
        .execute();
    },

    async listUnwanted(before, limit) {
      const rows = await db
        .selectFrom("media")
        .selectAll()
        .where("created_at", "<", before)
        .limit(limit)
        .execute();
      return rows.map(toCopy);
    },

    async forget(file) {
      await db
        .deleteFrom("media")
        .where(({ and }) => and(keyOf(file)))
        .execute();
    },
  };
}

function keyOf({ taskId, index, variant }: TaskFile) {
  return { task_id: taskId, video_index: index, variant };
}
