import type { Kysely } from "kysely";
import type { CallRecord } from "#core/call.ts";
import type { Tables } from "./tables.ts";
import { toCallRecord } from "./tables/calls.ts";

export interface CallQuery {
  readonly userId?: number;
  readonly keyId?: number;
  /** Only calls before this one: the last of the page before. */
  readonly beforeId?: string;
  readonly limit: number;
}

const MAX_PAGE = 1_000;
const MAX_PRUNED = 10_000;

/** A page of the journal, latest first. */
export async function listCalls(
  db: Kysely<Tables>,
  query: CallQuery,
): Promise<readonly CallRecord[]> {
  let select = db
    .selectFrom("calls")
    .selectAll()
    .orderBy("id", "desc")
    .limit(Math.min(query.limit, MAX_PAGE));
  if (query.userId !== undefined) select = select.where("user_id", "=", query.userId);
  if (query.keyId !== undefined) select = select.where("key_id", "=", query.keyId);
  if (query.beforeId !== undefined) select = select.where("id", "<", query.beforeId);
  return (await select.execute()).map(toCallRecord);
}

/**
 * Deletes at most `limit` records of calls admitted before `before` (Unix ms)
 * and says how many. Looks no further than the first `limit` ids, which sort by
 * time, so that it costs the same whether there is anything to delete or not.
 */
export async function pruneCalls(
  db: Kysely<Tables>,
  before: number,
  limit: number,
): Promise<number> {
  const first = db
    .selectFrom("calls")
    .select(["id", "at"])
    .orderBy("id")
    .limit(Math.min(limit, MAX_PRUNED));
  const { numDeletedRows } = await db
    .deleteFrom("calls")
    .where("id", "in", (in_) =>
      in_.selectFrom(first.as("first")).select("first.id").where("first.at", "<", before),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
