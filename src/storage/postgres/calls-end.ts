import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const MAX_TRIES = 40;
const PAUSE_MS = 25;

/**
 * No call with a number up to this one can still appear; undefined if a writer
 * takes too long. The result is exact. A transaction with a smaller number than
 * a visible one was writing calls when that one became visible. It holds the
 * table's write lock until all of its rows are visible, or none. Later
 * transactions draw larger numbers.
 */
export async function findCallsEnd(db: Kysely<Tables>): Promise<number | undefined> {
  const { end } = await db
    .selectFrom("calls")
    .select(({ fn }) => fn.max("seq").as("end"))
    .executeTakeFirstOrThrow();
  let writers = await listWriters(db);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (writers.length === 0) return end ?? 0;
    await sleep(PAUSE_MS);
    const now = new Set(await listWriters(db));
    writers = writers.filter((each) => now.has(each));
  }
  return undefined;
}

/** Transactions that write calls, or have written some and wait. */
async function listWriters(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'calls'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  return rows.map(({ writer }) => writer);
}
