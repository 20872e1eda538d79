import { sql, type ExpressionBuilder, type Kysely, type Selectable } from "kysely";
import { faultsOf, OK_STATUS } from "#core/call-filter.ts";
import type { CallFilter, CallScope } from "#core/call.ts";
import { defined } from "#lib/values.ts";
import type { Tables } from "../tables.ts";
import { BLOCK_CALLS } from "../tables/call-blocks.ts";
import type { CallsTable } from "../tables/calls.ts";
import { wantedTerms } from "./call-terms.ts";
import { INDEX_MARK } from "./index-calls.ts";
import { readWatermark } from "./watermark.ts";

/** Blocks that one page reads, so that the search for a rare call cannot take long. */
const MAX_BLOCKS = 100;

export interface Search {
  readonly filter: CallFilter;
  /** The number that the page before ended with. */
  readonly after: number | undefined;
  readonly isAscending: boolean;
  readonly limit: number;
}

type CallRow = Selectable<CallsTable>;

interface SearchResult {
  readonly rows: readonly CallRow[];
  /** The number to continue with; undefined at the end. */
  readonly next: number | undefined;
}

/**
 * Reads one page of the journal by number. It asks the blocks for those that have a call of every
 * wanted property, and then reads only these. Calls that no block describes yet are read directly.
 */
export async function searchCalls(db: Kysely<Tables>, search: Search): Promise<SearchResult> {
  const { userId, keyId, ...others } = search.filter;
  const given = Object.keys(defined(others));
  const isDirect =
    given.length === 0 ||
    (given.join() === "session" && userId === undefined && keyId === undefined);
  if (!isDirect) return await readBlocks(db, search);
  if (userId === undefined || keyId === undefined) return await readDirectly(db, search);
  // Another user's key may have a million calls, which the blocks skip.
  return (await isKeyOf(db, keyId, userId))
    ? await readDirectly(db, search)
    : await readBlocks(db, search);
}

async function isKeyOf(db: Kysely<Tables>, id: number, userId: number): Promise<boolean> {
  const key = db.selectFrom("keys").select("id").where("id", "=", id).where("user_id", "=", userId);
  return (await key.executeTakeFirst()) !== undefined;
}

/** By one of `calls_by_user`, `calls_by_key`, `calls_by_session`, or the number alone. */
async function readDirectly(db: Kysely<Tables>, search: Search): Promise<SearchResult> {
  const { after, isAscending, limit } = search;
  let select = selectRows(db, search, limit + 1);
  if (after !== undefined) select = select.where("seq", isAscending ? ">" : "<", after);
  const found = await select.execute();
  return pageOf(found, limit);
}

function pageOf(found: readonly CallRow[], limit: number): SearchResult {
  const rows = found.slice(0, limit);
  return { rows, next: found.length > limit ? rows.at(-1)?.seq : undefined };
}

async function readBlocks(db: Kysely<Tables>, search: Search): Promise<SearchResult> {
  const { limit, isAscending, after } = search;
  const blocks = await findBlocks(db, search);
  const rows: CallRow[] = [];
  for (const { first, last } of runsOf(blocks.slice(0, MAX_BLOCKS))) {
    let select = selectRows(db, search, limit + 1 - rows.length)
      .where("seq", ">=", Math.min(first, last) * BLOCK_CALLS)
      .where("seq", "<", (Math.max(first, last) + 1) * BLOCK_CALLS);
    if (after !== undefined) select = select.where("seq", isAscending ? ">" : "<", after);
    rows.push(...(await select.execute()));
    if (rows.length > limit) return pageOf(rows, limit);
  }
  const last = blocks[MAX_BLOCKS - 1];
  if (blocks.length <= MAX_BLOCKS || last === undefined) return { rows, next: undefined };
  return { rows, next: isAscending ? (last + 1) * BLOCK_CALLS - 1 : last * BLOCK_CALLS };
}

/** Successive blocks are read by one query. */
function runsOf(blocks: readonly number[]): readonly { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    if (run !== undefined && Math.abs(block - run.last) === 1) run.last = block;
    else runs.push({ first: block, last: block });
  }
  return runs;
}

interface Bounds {
  /** Both inclusive. */
  readonly from: number;
  readonly to: number;
}

/** At most one more than a page reads, in the order of the search. */
async function findBlocks(db: Kysely<Tables>, search: Search): Promise<readonly number[]> {
  const { after, isAscending } = search;
  // One query for each: SQLite reads all rows for both at once.
  const first = await edgeOf(db, "min");
  const last = await edgeOf(db, "max");
  // The types ignore that the table may be empty.
  if (first === null || last === null) return [];
  const start = after === undefined ? undefined : Math.floor(after / BLOCK_CALLS);
  const bounds = {
    from: Math.max(Math.floor(first / BLOCK_CALLS), isAscending ? (start ?? 0) : 0),
    to: Math.min(Math.floor(last / BLOCK_CALLS), isAscending ? Infinity : (start ?? Infinity)),
  };
  // The last described block may be incomplete.
  const openFrom = Math.floor((await readWatermark(db, INDEX_MARK)) / BLOCK_CALLS);
  const open = blocksIn({ from: Math.max(bounds.from, openFrom), to: bounds.to }, isAscending);
  const described = { from: bounds.from, to: Math.min(bounds.to, openFrom - 1) };
  if (isAscending) {
    const found = await findDescribed(db, search, described);
    return found.length > MAX_BLOCKS ? found : [...found, ...open].slice(0, MAX_BLOCKS + 1);
  }
  if (open.length > MAX_BLOCKS) return open;
  return [...open, ...(await findDescribed(db, search, described))].slice(0, MAX_BLOCKS + 1);
}

/** The lowest or highest number of the journal. */
async function edgeOf(db: Kysely<Tables>, edge: "min" | "max"): Promise<number> {
  const { seq } = await db
    .selectFrom("calls")
    .select(({ fn }) => fn[edge]("seq").as("seq"))
    .executeTakeFirstOrThrow();
  return seq;
}

/** Blocks that are not described yet. */
function blocksIn({ from, to }: Bounds, isAscending: boolean): readonly number[] {
  const count = Math.max(0, Math.min(to - from, MAX_BLOCKS) + 1);
  return Array.from({ length: count }, (_, at) => (isAscending ? from + at : to - at));
}

async function findDescribed(
  db: Kysely<Tables>,
  { filter, isAscending }: Search,
  within: Bounds,
): Promise<readonly number[]> {
  if (within.from > within.to) return [];
  const bounds = await narrowToTime(db, filter, within);
  if (bounds === undefined) return [];
  const [first, ...others] = wantedTerms(filter);
  const [table, ofFirst] =
    first === undefined ? [sql`call_blocks`, []] : [sql`call_terms`, [sql`found.term = ${first}`]];
  const { rows } = await sql<{ block: number }>`select found.block as block
    from ${table} as found
    where ${sql.join(
      [
        sql`found.block between ${bounds.from} and ${bounds.to}`,
        ...ofFirst,
        ...others.map(
          (term) => sql`exists (select 1 from call_terms as other
            where other.term = ${term} and other.block = found.block)`,
        ),
        ...reaching(filter),
      ],
      sql` and `,
    )}
    order by found.block ${isAscending ? sql`asc` : sql`desc`}
    limit ${MAX_BLOCKS + 1}`.execute(db);
  return rows.map(({ block }) => block);
}

/** Blocks with a call of at least this cost, and one of at least this duration. */
function reaching({ minCost, minDurationMs }: CallFilter) {
  const maxima = [
    ...(minCost === undefined ? [] : [sql`reached.max_cost >= ${minCost}`]),
    ...(minDurationMs === undefined ? [] : [sql`reached.max_duration_ms >= ${minDurationMs}`]),
  ];
  if (maxima.length === 0) return [];
  return [
    sql`exists (select 1 from call_blocks as reached
      where reached.block = found.block and ${sql.join(maxima, sql` and `)})`,
  ];
}

/** Undefined if no block has a call of that time. */
async function narrowToTime(
  db: Kysely<Tables>,
  filter: CallFilter,
  { from, to }: Bounds,
): Promise<Bounds | undefined> {
  const times = [
    ...(filter.from === undefined ? [] : [sql`last_end >= ${filter.from}`]),
    ...(filter.to === undefined ? [] : [sql`first_end < ${filter.to}`]),
  ];
  if (times.length === 0) return { from, to };
  const { first, last } = await db
    .selectFrom("call_blocks")
    .select(({ fn }) => [fn.min("block").as("first"), fn.max("block").as("last")])
    .where("block", ">=", from)
    .where("block", "<=", to)
    .where(sql<boolean>`${sql.join(times, sql` and `)}`)
    .executeTakeFirstOrThrow();
  return first === null || last === null ? undefined : { from: first, to: last };
}

function selectRows(db: Kysely<Tables>, { filter, isAscending }: Search, limit: number) {
  return db
    .selectFrom("calls")
    .selectAll()
    .where((where) => conditionOf(where, filter))
    .orderBy("seq", isAscending ? "asc" : "desc")
    .limit(limit);
}

type Where = ExpressionBuilder<Tables, "calls">;

function conditionOf(where: Where, filter: CallFilter) {
  return where.and([
    ...ownerConditions(where, filter),
    ...propertyConditions(where, filter),
    ...channelConditions(where, filter),
    ...rangeConditions(where, filter),
  ]);
}

export function ownerConditions(where: Where, { userId, teamId }: CallScope) {
  return [
    ...(userId === undefined ? [] : [where("user_id", "=", userId)]),
    ...(teamId === undefined ? [] : [where("team_id", "=", teamId)]),
  ];
}

function propertyConditions(where: Where, filter: CallFilter) {
  const { keyId, groupId, outcome, fault, status, model, upstreamModel } = filter;
  const { style, endpoint, session, tag } = filter;
  return [
    ...(keyId === undefined ? [] : [where("key_id", "=", keyId)]),
    ...(groupId === undefined ? [] : [where("group_id", "=", groupId)]),
    ...(outcome === undefined ? [] : [where("outcome", "=", outcome)]),
    ...(fault === undefined ? [] : [where("fault", "=", fault)]),
    ...(status === undefined ? [] : [ofStatus(where, status)]),
    ...(model === undefined ? [] : [where("model", "=", model)]),
    ...(upstreamModel === undefined ? [] : [where("upstream_model", "=", upstreamModel)]),
    ...(style === undefined ? [] : [where("style", "=", style)]),
    ...(endpoint === undefined ? [] : [where("endpoint", "=", endpoint)]),
    ...(session === undefined ? [] : [where("session_id", "=", session)]),
    ...(tag === undefined ? [] : [lists("tags", tag)]),
  ];
}

function ofStatus(where: Where, status: number) {
  if (status === OK_STATUS) return where("fault", "is", null);
  const faults = faultsOf(status);
  return faults.length === 0 ? sql<boolean>`1 = 0` : where("fault", "in", faults);
}

function channelConditions(where: Where, { channel, failedChannel }: CallFilter) {
  return [
    ...(channel === undefined
      ? []
      : [where.or([where("channel", "=", channel), lists("failed_channels", channel)])]),
    ...(failedChannel === undefined ? [] : [lists("failed_channels", failedChannel)]),
  ];
}

function rangeConditions(where: Where, { from, to, minCost, minDurationMs }: CallFilter) {
  return [
    ...(from === undefined ? [] : [sql<boolean>`at + duration_ms >= ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`at + duration_ms < ${to}`]),
    ...(minCost === undefined ? [] : [where("cost", ">=", minCost)]),
    ...(minDurationMs === undefined ? [] : [where("duration_ms", ">=", minDurationMs)]),
  ];
}

/** Both engines compare the case of letters in `replace`, and SQLite not in `like`. */
function lists(column: "tags" | "failed_channels", item: string) {
  const written = `\n${item}\n`;
  return sql<boolean>`replace(${sql.ref(column)}, ${written}, '') <> ${sql.ref(column)}`;
}
