import type { Kysely } from "kysely";
import type { CallLog, CallNames, CallPosition, CallRecord, CallScope } from "#core/call.ts";
import { defined } from "#lib/values.ts";
import type { Tables } from "../tables.ts";
import { toCallRecord } from "../tables/calls.ts";
import { INDEX_MARK } from "./index-calls.ts";
import { namesIn } from "./names.ts";
import { ownerConditions, searchCalls } from "./search-calls.ts";
import { USAGE_MARK } from "./usage-mark.ts";
import { readWatermark } from "./watermark.ts";

const MAX_PAGE = 1_000;
const MAX_PRUNED = 10_000;

/**
 * Reads a limited number of rows at once: on SQLite, requests wait meanwhile.
 * `findEnd`: no call with a number up to it can still appear.
 */
export function createCallLog(
  db: Kysely<Tables>,
  findEnd: () => Promise<number | undefined>,
): CallLog {
  const find = async (id: string, scope: CallScope = {}) =>
    await db
      .selectFrom("calls")
      .selectAll()
      .where("id", "=", id)
      .where((where) => where.and(ownerConditions(where, scope)))
      .executeTakeFirst();

  const numberOf = async (position: CallPosition, scope: CallScope): Promise<number | undefined> =>
    "seq" in position ? position.seq : (await find(position.id, scope))?.seq;

  return {
    async list({ scope = {}, after, isAscending = false, limit, ...filter }) {
      const { userId = filter.userId, teamId = filter.teamId } = scope;
      const isOutside = [
        [userId, filter.userId],
        [teamId, filter.teamId],
      ].some(([seen, wanted]) => wanted !== undefined && wanted !== seen);
      if (isOutside) return { calls: [], next: undefined };
      const number = after && (await numberOf(after, defined({ userId, teamId })));
      if (after !== undefined && number === undefined) return { calls: [], next: undefined };
      const { rows, next } = await searchCalls(db, {
        filter: defined({ ...filter, userId, teamId }),
        after: number,
        isAscending,
        limit: Math.min(limit, MAX_PAGE),
      });
      return { calls: rows.map(toCallRecord), next };
    },

    async find(id, scope) {
      const row = await find(id, scope);
      return row && toCallRecord(row);
    },

    namesOf: (calls) => findNames(db, calls),

    async tail(after, limit) {
      const end = await findEnd();
      if (after === undefined || end === undefined || end <= after) {
        return { entries: [], last: after ?? end };
      }
      const rows = await db
        .selectFrom("calls")
        .selectAll()
        .where("seq", ">", after)
        .where("seq", "<=", end)
        .orderBy("seq")
        .limit(limit)
        .execute();
      return {
        entries: rows.map((row) => ({ seq: row.seq, call: toCallRecord(row) })),
        last: rows.length < limit ? end : (rows.at(-1)?.seq ?? end),
      };
    },
  };
}

async function findNames(
  db: Kysely<Tables>,
  calls: readonly Pick<CallRecord, "userId" | "keyId" | "teamId">[],
): Promise<CallNames> {
  const teams = calls.map(({ teamId }) => teamId).filter((id) => id !== undefined);
  const [users, keys, teamNames] = await Promise.all([
    namesIn(
      db,
      "users",
      calls.map(({ userId }) => userId),
    ),
    namesIn(
      db,
      "keys",
      calls.map(({ keyId }) => keyId),
    ),
    namesIn(db, "teams", teams),
  ]);
  return { users, keys, teams: teamNames };
}

/**
 * Deletes at most `limit` records of calls admitted before `before` (Unix ms);
 * returns their number. It checks only the `limit` calls that ended first, so
 * that its cost is constant. It keeps calls that are not aggregated or indexed yet, and
 * the last aggregated call, because SQLite would reuse its number.
 */
export async function pruneCalls(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<number> {
  const [summedTo, indexedTo] = [
    await readWatermark(db, USAGE_MARK),
    await readWatermark(db, INDEX_MARK),
  ];
  const first = db
    .selectFrom("calls")
    .select(["seq", "at"])
    .where("seq", "<", Math.min(summedTo, indexedTo))
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
