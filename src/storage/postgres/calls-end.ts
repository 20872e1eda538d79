import { setTimeout as sleep } from "node:timers/promises";
import { sql, type Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const MAX_TRIES = 40;
const PAUSE_MS = 25;

/**
 * A number up to which no call will appear any more; undefined where somebody
 * takes too long to write. It is exact: whoever has drawn a smaller number
 * than one that can be seen was in the middle of writing calls when that was
 * seen, and holds the table's lock for writing until all of its rows can be
 * seen, or none. Whoever began to write since has drawn larger numbers.
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

/** Transactions that write calls, or wait with some written. */
async function listWriters(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ writer: string }>`
    select virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'calls'::regclass and mode = 'RowExclusiveLock'
      and database = (select oid from pg_database where datname = current_database())
  `.execute(db);
  return rows.map(({ writer }) => writer);
}
