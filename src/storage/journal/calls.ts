import type { Kysely, Selectable } from "kysely";
import type {
  CallLog,
  CallNames,
  CallPosition,
  CallRecord,
  CallScope,
  JournalEntry,
} from "#core/call.ts";
import { defined } from "#lib/values.ts";
import type { Tables } from "../tables.ts";
import { toCallRecord, type CallsTable } from "../tables/calls.ts";
import { INDEX_MARK } from "./index-calls.ts";
import { namesIn } from "./names.ts";
import { ownerConditions, searchCalls, type Search } from "./search-calls.ts";
import { USAGE_MARK } from "./usage-mark.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

/** Key in `meta`: the largest number of a deleted call. Later calls are all in the database. */
export const PRUNED_MARK = "journal_pruned";
const MAX_PAGE = 1_000;
const MAX_PRUNED = 10_000;

export interface CallPage {
  readonly entries: readonly JournalEntry[];
  /** The number to continue with; undefined at the end. */
  readonly next: number | undefined;
}

/** A store of calls that the log reads. */
export interface CallSource {
  search(search: Search): Promise<CallPage>;
  find(id: string, scope: CallScope): Promise<JournalEntry | undefined>;
}

/** Reads a limited number of rows at once: on SQLite, requests wait meanwhile. */
export function databaseCalls(db: Kysely<Tables>): CallSource {
  return {
    async search(search) {
      const { rows, next } = await searchCalls(db, search);
      return { entries: rows.map(toEntry), next };
    },
    async find(id, scope) {
      const row = await db
        .selectFrom("calls")
        .selectAll()
        .where("id", "=", id)
        .where((where) => where.and(ownerConditions(where, scope)))
        .executeTakeFirst();
      return row && toEntry(row);
    },
  };
}

function toEntry(row: Selectable<CallsTable>): JournalEntry {
  return { seq: row.seq, call: toCallRecord(row) };
}

/** `findEnd`: no call with a number up to it can still appear. */
export function createCallLog(
  db: Kysely<Tables>,
  findEnd: () => Promise<number | undefined>,
  source: CallSource = databaseCalls(db),
): CallLog {
  const numberOf = async (position: CallPosition, scope: CallScope): Promise<number | undefined> =>
    "seq" in position ? position.seq : (await source.find(position.id, scope))?.seq;

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
      const { entries, next } = await source.search({
        filter: defined({ ...filter, userId, teamId }),
        after: number,
        isAscending,
        limit: Math.min(limit, MAX_PAGE),
      });
      return { calls: entries.map(({ call }) => call), next };
    },

    find: async (id, scope = {}) => (await source.find(id, scope))?.call,

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
        entries: rows.map(toEntry),
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
 * that its cost is constant. It keeps calls that are not aggregated or indexed yet, those above
 * `end`, and the last aggregated call, because SQLite would reuse its number.
 */
export async function pruneCalls(
  db: Kysely<Tables>,
  before: number,
  limit: number,
  end = Infinity,
): Promise<number> {
  const marks = [await readWatermark(db, USAGE_MARK), await readWatermark(db, INDEX_MARK)];
  const first = db
    .selectFrom("calls")
    .select(["seq", "at"])
    .where("seq", "<", Math.min(...marks, end + 1))
    .orderBy("seq")
    .limit(Math.min(limit, MAX_PRUNED));
  const old = db.selectFrom(first.as("first")).select("first.seq").where("first.at", "<", before);
  if ((await old.limit(1).executeTakeFirst()) === undefined) return 0;
  return await db.transaction().execute(async (transaction) => {
    // Before the deletion, so that two gateways cannot overwrite each other's mark.
    const prunedTo = await takeWatermark(transaction, PRUNED_MARK);
    const rows = await transaction
      .deleteFrom("calls")
      .where("seq", "in", old)
      .returning("seq")
      .execute();
    if (rows.length === 0) return 0;
    const last = rows.reduce((most, { seq }) => Math.max(most, seq), prunedTo);
    await setWatermark(transaction, PRUNED_MARK, last);
    return rows.length;
  });
}
