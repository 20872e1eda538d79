import { sql, type Kysely, type Selectable, type Transaction } from "kysely";
import type { Tables } from "../tables.ts";
import { BLOCK_CALLS, type CallBlocksTable } from "../tables/call-blocks.ts";
import { TERM_COLUMNS, termsOf } from "./call-terms.ts";
import { addTeamsOfTasks } from "./teams-of-tasks.ts";
import { readWatermark, setWatermark, takeWatermark } from "./watermark.ts";

/** Key in `meta`: the number of the last indexed call. */
export const INDEX_MARK = "call_blocks";
const ROWS_PER_INSERT = 1_000;

type BlockRow = Selectable<CallBlocksTable>;

/**
 * Adds at most `limit` of the next calls to the blocks that searches use; returns their number.
 * `end`: no call with a number up to it can still appear.
 */
export async function indexCalls(db: Kysely<Tables>, end: number, limit: number): Promise<number> {
  const after = await readWatermark(db, INDEX_MARK);
  if (end <= after) return 0;
  const last = Math.min(end, after + limit);
  await addTeamsOfTasks(db, after, last);
  const blocks = await readBlocks(db, after, last);
  const terms = await readTerms(db, after, last);
  return await db.transaction().execute(async (transaction) => {
    // Another gateway may have done the same meanwhile.
    if ((await takeWatermark(transaction, INDEX_MARK)) !== after) return 0;
    await writeBlocks(transaction, blocks);
    await writeTerms(transaction, terms);
    await setWatermark(transaction, INDEX_MARK, last);
    return last - after;
  });
}

const BLOCK = sql<number>`seq / ${sql.lit(BLOCK_CALLS)}`;
const END = sql<number>`at + duration_ms`;

async function readBlocks(
  db: Kysely<Tables>,
  after: number,
  last: number,
): Promise<readonly BlockRow[]> {
  return await db
    .selectFrom("calls")
    .select(({ fn }) => [
      BLOCK.as("block"),
      fn.min<number>(END).as("first_end"),
      fn.max<number>(END).as("last_end"),
      fn.max("cost").as("max_cost"),
      fn.max("duration_ms").as("max_duration_ms"),
    ])
    .where("seq", ">", after)
    .where("seq", "<=", last)
    .groupBy(BLOCK)
    .execute();
}

interface BlockTerm {
  readonly term: string;
  readonly block: number;
}

/** Most calls of a block are alike, so the database reduces them before this thread reads them. */
async function readTerms(
  db: Kysely<Tables>,
  after: number,
  last: number,
): Promise<readonly BlockTerm[]> {
  const rows = await db
    .selectFrom("calls")
    .select([BLOCK.as("block"), ...TERM_COLUMNS])
    .distinct()
    .where("seq", ">", after)
    .where("seq", "<=", last)
    .execute();
  const blocks = new Map<number, Set<string>>();
  for (const row of rows) {
    const terms = blocks.get(row.block) ?? new Set<string>();
    blocks.set(row.block, terms);
    for (const each of termsOf(row)) terms.add(each);
  }
  return [...blocks].flatMap(([block, terms]) => [...terms].map((term) => ({ term, block })));
}

async function writeBlocks(db: Transaction<Tables>, blocks: readonly BlockRow[]): Promise<void> {
  if (blocks.length === 0) return;
  const larger = (name: keyof CallBlocksTable) =>
    sql<never>`case when ${sql.ref(`excluded.${name}`)} > ${sql.ref(`call_blocks.${name}`)}
      then ${sql.ref(`excluded.${name}`)} else ${sql.ref(`call_blocks.${name}`)} end`;
  await db
    .insertInto("call_blocks")
    .values(blocks)
    .onConflict((conflict) =>
      conflict.column("block").doUpdateSet({
        first_end: sql<never>`case when excluded.first_end < call_blocks.first_end
          then excluded.first_end else call_blocks.first_end end`,
        last_end: larger("last_end"),
        max_cost: larger("max_cost"),
        max_duration_ms: larger("max_duration_ms"),
      }),
    )
    .execute();
}

/** Sorted, so that rows of one term are written next to each other. */
async function writeTerms(db: Transaction<Tables>, given: readonly BlockTerm[]): Promise<void> {
  const terms = given.toSorted((a, b) =>
    a.term < b.term ? -1 : a.term > b.term ? 1 : a.block - b.block,
  );
  for (let from = 0; from < terms.length; from += ROWS_PER_INSERT) {
    await db
      .insertInto("call_terms")
      .values(terms.slice(from, from + ROWS_PER_INSERT))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Deletes the blocks before the first call of the journal, at most `limit` of them. */
export async function pruneBlocks(db: Kysely<Tables>, limit: number): Promise<void> {
  const { first } = await db
    .selectFrom("calls")
    .select(({ fn }) => fn.min("seq").as("first"))
    .executeTakeFirstOrThrow();
  // The type ignores that the table may be empty.
  if (first === null) return;
  const end = Math.floor(first / BLOCK_CALLS);
  const old = await db
    .selectFrom("call_blocks")
    .select("block")
    .where("block", "<", end)
    .orderBy("block")
    .limit(limit)
    .execute();
  const last = old.at(-1)?.block;
  if (last === undefined) return;
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom("call_terms").where("block", "<=", last).execute();
    await transaction.deleteFrom("call_blocks").where("block", "<=", last).execute();
  });
}
