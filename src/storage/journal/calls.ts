import type { Kysely } from "kysely";
import type { CallLog } from "#core/call.ts";
import type { Tables } from "../tables.ts";
import { toCallRecord } from "../tables/calls.ts";
import { readWatermark } from "./usage-sums.ts";

const MAX_PAGE = 1_000;
const MAX_PRUNED = 10_000;

/** Reads at most one page of rows and no others: on SQLite, requests wait meanwhile. */
export function createCallLog(db: Kysely<Tables>): CallLog {
  return {
    async list({ userId, keyId, session, before, limit }) {
      let select = db
        .selectFrom("calls")
        .selectAll()
        .orderBy("seq", "desc")
        .limit(Math.min(limit, MAX_PAGE));
      if (keyId !== undefined) {
        // Filter by key alone: another user's key may have a million calls to skip.
        const key = db.selectFrom("keys").select("id").where("id", "=", keyId);
        select = select.where(
          "key_id",
          "=",
          userId === undefined ? key : key.where("user_id", "=", userId),
        );
      } else if (userId !== undefined) {
        select = select.where("user_id", "=", userId);
      }
      if (session !== undefined) select = select.where("session_id", "=", session);
      if (before !== undefined) {
        const last = db.selectFrom("calls").select("seq").where("id", "=", before);
        select = select.where(
          "seq",
          "<",
          userId === undefined ? last : last.where("user_id", "=", userId),
        );
      }
      return (await select.execute()).map(toCallRecord);
    },

    async find(id, userId) {
      let select = db.selectFrom("calls").selectAll().where("id", "=", id);
      if (userId !== undefined) select = select.where("user_id", "=", userId);
      const row = await select.executeTakeFirst();
      return row && toCallRecord(row);
    },
  };
}

/**
 * Deletes at most `limit` records of calls admitted before `before` (Unix ms);
 * returns their number. It checks only the `limit` calls that ended first, so
 * that its cost is constant. It keeps calls that are not aggregated yet, and
 * the last aggregated call, because SQLite would reuse its number.
 */
export async function pruneCalls(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<number> {
  const summedTo = await readWatermark(db);
  const first = db
    .selectFrom("calls")
    .select(["seq", "at"])
    .where("seq", "<", summedTo)
    .orderBy("seq")
    .limit(Math.min(limit, MAX_PRUNED));
  const { numDeletedRows } = await db
    .deleteFrom("calls")
    .where("seq", "in", (old) =>
      old.selectFrom(first.as("first")).select("first.seq").where("first.at", "<", before),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
