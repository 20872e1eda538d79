import { expect, test } from "bun:test";
import fc from "fast-check";
import { sql, type CompiledQuery } from "kysely";
import { FAULT_CODES, matches } from "#core/call-filter.ts";
import type { CallFilter, CallLog, CallQuery, CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { defined } from "#lib/values.ts";
import { createCallLog } from "#storage/journal/calls.ts";
import type { Storage } from "#storage/open.ts";
import { random as seeded, SEED, times } from "#test/seed.ts";
import { openAt, recordOf, type Place } from "./contract-place.ts";
import { fillJournal } from "./fill-journal.ts";
import { LOG_FILTERS } from "./log-filters.ts";
import { planOf, Watch } from "./plans.ts";

const random = seeded(SEED);
export const START = Date.UTC(2026, 0, 1);

/** What both databases promise of the log of calls. */
export function describeLog(openPlace: () => Promise<Place>, engine: "sqlite" | "postgres"): void {
  test("every filter finds exactly the calls that it describes, in both orders and on every page", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const records = Array.from({ length: 900 }, (_, at) => someCall(at));
    await writeAll(storage, records.slice(0, 700));
    while ((await storage.calls.index(97)) > 0);
    // These are not indexed yet.
    await writeAll(storage, records.slice(700));

    await fc.assert(
      fc.asyncProperty(someFilter, fc.boolean(), async (filter, isAscending) => {
        const found = await listAll(storage, { ...filter, isAscending, limit: 20 });
        const expected = records.filter((call) => matches(call, filter)).map(({ id }) => id);
        expect(found).toEqual(isAscending ? expected : expected.toReversed());
      }),
      { seed: SEED, numRuns: times(40, 500) },
    );
  });

  test("calls of a user by a key are found, also if the key belongs to another user or no user now", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const records = Array.from({ length: 300 }, (_, at) => someCall(at));
    await writeAll(storage, records);

    for (const isAscending of [false, true]) {
      const query = { userId: 1, keyId: 4, isAscending, limit: 20 };
      const found = await listAll(storage, query);
      const expected = records.filter((call) => matches(call, query)).map(({ id }) => id);
      expect(expected.length).toBeGreaterThan(1);
      expect(found).toEqual(isAscending ? expected : expected.toReversed());
    }
  });

  test("a search within a team or of a user finds nothing of others", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const records = Array.from({ length: 60 }, (_, at) => someCall(at));
    await writeAll(storage, records);
    const within = async (query: Omit<CallQuery, "limit">) =>
      (await storage.calls.list({ ...query, limit: 100 })).calls;

    const ofTeam = await within({ scope: { teamId: 1 } });
    expect(ofTeam.length).toBeGreaterThan(0);
    expect(ofTeam.every(({ teamId }) => teamId === 1)).toBe(true);
    expect(await within({ scope: { teamId: 1 }, teamId: 2 })).toEqual([]);
    expect(await within({ scope: { userId: 1 }, userId: 2 })).toEqual([]);
    const foreign = records.find(({ teamId }) => teamId === 2)?.id ?? "";
    expect(await within({ scope: { teamId: 1 }, after: { id: foreign } })).toEqual([]);
    expect(await storage.calls.find(foreign, { teamId: 1 })).toBeUndefined();
    expect(await storage.calls.find(foreign, { teamId: 2 })).toMatchObject({ id: foreign });
  });

  test("blocks of deleted calls are deleted, too", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await writeAll(
      storage,
      Array.from({ length: 600 }, (_, at) => someCall(at)),
    );
    while ((await storage.usage.sum(1_000)) > 0);
    while ((await storage.calls.index(1_000)) > 0);

    while ((await storage.calls.prune(START + 1e9, 300)) > 0);

    const { blocks } = await storage.db
      .selectFrom("call_blocks")
      .select(({ fn }) => fn.countAll().as("blocks"))
      .executeTakeFirstOrThrow();
    const { first } = await storage.db
      .selectFrom("call_terms")
      .select(({ fn }) => fn.min("block").as("first"))
      .executeTakeFirstOrThrow();
    expect(Number(blocks)).toBe(1);
    expect(first).toBe(2);
    expect((await storage.calls.list({ limit: 10, model: "m-1" })).calls.length).toBeLessThan(2);
  });

  test("the end of the journal is read in order, without gaps", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const records = Array.from({ length: 5 }, (_, at) => someCall(at));
    await writeAll(storage, records.slice(0, 1));
    const { last: start } = await storage.calls.tail(undefined, 10);
    await writeAll(storage, records.slice(1));

    const first = await storage.calls.tail(start, 3);
    const rest = await storage.calls.tail(first.last, 3);
    const none = await storage.calls.tail(rest.last, 3);

    expect(first.entries.map(({ call }) => call.id)).toEqual(["call-1", "call-2", "call-3"]);
    expect(first.entries.at(-1)?.seq).toBe(first.last);
    expect(rest.entries.map(({ call }) => call.id)).toEqual(["call-4"]);
    expect(none).toEqual({ entries: [], last: rest.last });
  });

  test("no filter of the log reads or sorts the whole journal", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await fillJournal(storage.db, 40_000, engine);
    while ((await storage.calls.index(4_000)) > 0);
    await sql`analyze`.execute(storage.db);
    const queries: CompiledQuery[] = [];
    const db = storage.db.withPlugin(new Watch(storage.db, queries));
    const log = createCallLog(db, async () => undefined);

    for (const filter of LOG_FILTERS) {
      for (const isAscending of [false, true]) {
        await log.list({ ...filter, isAscending, limit: 50, after: { seq: 20_000 } });
      }
    }

    expect(queries.length).toBeGreaterThan(LOG_FILTERS.length * 2);
    const bad: string[] = [];
    for (const query of queries) {
      const plan = await planOf(storage.db, query, engine);
      if (FULL_SCAN[engine].test(plan)) bad.push(`${query.sql}\n${plan}`);
    }
    expect(bad).toEqual([]);
  });
}

/** `call_blocks` has one row for 256 calls, and may be read whole. */
const FULL_SCAN = {
  sqlite: /SCAN (?:calls|found|other|call_terms)|TEMP B-TREE/,
  postgres: /Seq Scan on (?:calls|call_terms)/,
} as const;

export async function writeAll(storage: Storage, records: readonly CallRecord[]): Promise<void> {
  for (const record of records) storage.journal.write(record);
  await storage.ping();
}

export async function listAll(
  { calls: log }: { readonly calls: Pick<CallLog, "list"> },
  query: CallQuery,
): Promise<readonly string[]> {
  const ids: string[] = [];
  let after = query.after;
  for (let pages = 0; pages < 1_000; pages++) {
    const { calls, next } = await log.list({ ...query, ...defined({ after }) });
    ids.push(...calls.map(({ id }) => id));
    if (next === undefined) return ids;
    after = { seq: next };
  }
  throw new Error("The pages do not end.");
}

const CHANNELS = ["a", "b", "B", "a b"];
function pick<const T>(...of: readonly T[]): T {
  const picked = of[Math.floor(random() * of.length)];
  if (picked === undefined && !of.includes(picked as T)) throw new Error("Nothing to pick from.");
  return picked as T;
}

export function someCall(at: number): CallRecord {
  const hasFailed = random() < 0.2;
  const attempts = Array.from({ length: pick(0, 1, 2) }, () => ({
    channel: pick(...CHANNELS),
    credential: "",
    fault: hasFailed || random() < 0.3 ? pick("upstream_failed", "upstream_timeout") : null,
    status: null,
    durationMs: 1,
  }));
  const team = pick(1, 2, undefined);
  return {
    ...recordOf(`call-${at}`),
    at: START + at * 1_000,
    userId: pick(1, 2, 3),
    keyId: pick(1, 2, 3, 4),
    model: at % 300 === 7 ? "m-rare" : pick("m-1", "m-2", "M-1"),
    upstreamModel: pick(null, "u-1", "u-2"),
    channel: pick(null, ...CHANNELS),
    style: pick("chat", "messages"),
    outcome: hasFailed ? "failed" : pick("completed", "canceled"),
    fault: hasFailed ? pick(...FAULT_CODES) : null,
    cost: nanoUsd(Math.floor(random() * 100)),
    durationMs: Math.floor(random() * 5_000),
    attempts,
    ...defined({
      endpoint: pick("text", "images", undefined),
      teamId: team,
      groupId: pick(1, undefined),
      tags: pick(undefined, { session: "s-1" }, { free: ["p=x", "q=y"] }, { free: ["p=xy"] }),
    }),
  };
}

export const someFilter: fc.Arbitrary<CallFilter> = fc
  .record(
    {
      userId: fc.constantFrom(1, 2, 9),
      keyId: fc.constantFrom(1, 4, 9),
      teamId: fc.constantFrom(1, 2, 9),
      groupId: fc.constantFrom(1, 9),
      from: fc.integer({ min: START - 10_000, max: START + 910_000 }),
      to: fc.integer({ min: START - 10_000, max: START + 910_000 }),
      outcome: fc.constantFrom("completed", "failed", "canceled", "interrupted"),
      fault: fc.constantFrom(...FAULT_CODES),
      status: fc.constantFrom(200, 400, 429, 502, 299),
      channel: fc.constantFrom(...CHANNELS, "none"),
      failedChannel: fc.constantFrom(...CHANNELS, "none"),
      model: fc.constantFrom("m-1", "m-rare", "none"),
      upstreamModel: fc.constantFrom("u-1", "none"),
      style: fc.constantFrom("chat", "none"),
      endpoint: fc.constantFrom("text", "videos"),
      session: fc.constantFrom("s-1", "none"),
      tag: fc.constantFrom("p=x", "p=xy", "P=x", "none"),
      minCost: fc.integer({ min: 0, max: 110 }).map(nanoUsd),
      minDurationMs: fc.integer({ min: 0, max: 6_000 }),
    },
    { requiredKeys: [] },
  )
  // Most filters of many conditions find nothing.
  .chain((filter) =>
    fc
      .subarray(Object.keys(filter), { maxLength: 3 })
      .map((names) =>
        Object.fromEntries(Object.entries(filter).filter(([name]) => names.includes(name))),
      ),
  );
