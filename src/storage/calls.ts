import type { Kysely } from "kysely";
import type { CallRecord } from "#core/call.ts";
import type { Tables } from "./tables.ts";
import { toCallRecord } from "./tables/calls.ts";

export interface CallQuery {
  readonly userId?: number;
  readonly keyId?: number;
  /** Where the page before ended. */
  readonly before?: number;
  readonly limit: number;
}

export interface CallPage {
  readonly calls: readonly CallRecord[];
  /** Where the next page goes on; absent on the last one. */
  readonly next?: number;
}

const MAX_PAGE = 1_000;
const MAX_PRUNED = 10_000;

/** A page of the journal: the calls that ended last come first. */
export async function listCalls(db: Kysely<Tables>, query: CallQuery): Promise<CallPage> {
  const limit = Math.min(query.limit, MAX_PAGE);
  let select = db.selectFrom("calls").selectAll().orderBy("seq", "desc").limit(limit);
  if (query.userId !== undefined) select = select.where("user_id", "=", query.userId);
  if (query.keyId !== undefined) select = select.where("key_id", "=", query.keyId);
  if (query.before !== undefined) select = select.where("seq", "<", query.before);

  const rows = await select.execute();
  const calls = rows.map(toCallRecord);
  const last = rows.at(-1);
  return rows.length < limit || last === undefined ? { calls } : { calls, next: last.seq };
}

/**
 * Deletes at most `limit` records of calls admitted before `before` (Unix ms)
 * and says how many. Looks no further than the `limit` calls that ended first,
 * so that it costs the same whether there is anything to delete or not.
 */
export async function pruneCalls(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<number> {
  const first = db
    .selectFrom("calls")
    .select(["seq", "at"])
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
