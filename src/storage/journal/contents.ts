import type { Kysely, Selectable } from "kysely";
import type { ContentIndex, StoredContent } from "#core/content-log.ts";
import type { Tables } from "../tables.ts";
import type { CallContentsTable } from "../tables/call-contents.ts";

/** Both engines limit the parameters of a statement. */
const MAX_AT_ONCE = 200;

export function createContentIndex(db: Kysely<Tables>): ContentIndex {
  const contents = () => db.selectFrom("call_contents").selectAll();
  return {
    async add(added) {
      for (let at = 0; at < added.length; at += MAX_AT_ONCE) {
        await db
          .insertInto("call_contents")
          .values(
            added.slice(at, at + MAX_AT_ONCE).map((each) => ({
              call_id: each.callId,
              place: each.place,
              size_bytes: each.sizeBytes,
              at: each.at,
            })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },

    async find(callId) {
      const row = await contents().where("call_id", "=", callId).executeTakeFirst();
      return row && toContent(row);
    },

    async listBefore(before, limit) {
      const rows = await contents().where("at", "<", before).orderBy("at").limit(limit).execute();
      return rows.map(toContent);
    },

    async totalBytes() {
      const { total } = await db
        .selectFrom("call_contents")
        .select(({ fn, cast }) => cast<number | null>(fn.sum("size_bytes"), "bigint").as("total"))
        .executeTakeFirstOrThrow();
      return total ?? 0;
    },

    async forget(callIds) {
      for (let at = 0; at < callIds.length; at += MAX_AT_ONCE) {
        await db
          .deleteFrom("call_contents")
          .where("call_id", "in", callIds.slice(at, at + MAX_AT_ONCE))
          .execute();
      }
    },
  };
}

function toContent(row: Selectable<CallContentsTable>): StoredContent {
  return { callId: row.call_id, place: row.place, sizeBytes: row.size_bytes, at: row.at };
}
