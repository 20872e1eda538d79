import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import type { CallArchive } from "#core/call-archive.ts";
import { matches } from "#core/call-filter.ts";
import type { CallLog, CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { connectToClickHouse } from "#egress/journal/clickhouse-connection.ts";
import { openClickHouse } from "#egress/journal/clickhouse.ts";
import { openClickHouseSelect } from "#egress/journal/clickhouse-select.ts";
import { exportJournal } from "#jobs/export-journal.ts";
import { pruneJournal } from "#jobs/prune-journal.ts";
import { createCallArchive } from "#storage/journal/call-archive.ts";
import { CLICKHOUSE_STATEMENTS } from "#storage/journal/clickhouse-statements.ts";
import type { Storage } from "#storage/open.ts";
import { openClickHouseServer } from "#test/clickhouse-server.ts";
import { isPostgresReachable } from "#test/scratch-database.ts";
import { SEED, times } from "#test/seed.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { listAll, someCall, someFilter, START, writeAll } from "./contract-log.ts";
import { newId, openAt, reasonOf, recordOf, type Address } from "./contract-place.ts";
import { openDatabase } from "./postgres-place.ts";

const PASSWORD = "pass";
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface Opened extends AsyncDisposable {
  readonly address: Address;
}

describe("on SQLite", () => describeArchive(openFolder));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeArchive(() => openDatabase()),
);

async function openFolder(): Promise<Opened> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-archive-"));
  await placeSchema(dataDir);
  return {
    address: { dataDir },
    [Symbol.asyncDispose]: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

function describeArchive(openPlace: () => Promise<Opened>): void {
  test("each filter finds every call once, in both orders, whether the database still has it or not", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    const records = Array.from({ length: 600 }, (_, at) => ({
      ...someCall(at),
      // Some calls take long: the database keeps a call that ended before a deleted one.
      ...(at % 50 === 0
        ? { at: START + at * 1_000 - 3 * MINUTE_MS, durationMs: 3 * MINUTE_MS }
        : {}),
    }));
    await writeAll(storage, records.slice(0, 500));
    await copyTo(server.url, storage);
    // These are not exported yet.
    await writeAll(storage, records.slice(500));
    await pruneTo(storage, START + 200_000);
    const log = logOver(server.url, storage);
    const left = await listAll(storage, { limit: 100, isAscending: true });
    const first = Number(left[0]?.replace("call-", ""));
    expect(left).not.toEqual(records.slice(first).map(({ id }) => id));

    await fc.assert(
      fc.asyncProperty(someFilter, fc.boolean(), async (filter, isAscending) => {
        const found = await listAll({ calls: log }, { ...filter, isAscending, limit: 60 });
        const expected = records.filter((call) => matches(call, filter)).map(({ id }) => id);
        expect(found).toEqual(isAscending ? expected : expected.toReversed());
      }),
      { seed: SEED, numRuns: times(25, 500) },
    );
  }, 30_000);

  test("a call from ClickHouse has everything that it had in the database", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    await writeAll(storage, [RICH, recordOf("plain"), recordOf("last")]);
    const before = await Promise.all([RICH.id, "plain"].map((id) => storage.calls.find(id)));
    await copyTo(server.url, storage);
    await pruneTo(storage, Date.now() + 1_000);
    const log = logOver(server.url, storage);

    expect(await storage.calls.find(RICH.id)).toBeUndefined();
    expect(await Promise.all([RICH.id, "plain"].map((id) => log.find(id)))).toEqual(before);
    const page = await log.list({ limit: 5, session: RICH.tags?.session ?? "", tag: "a\\'b" });
    expect(page).toEqual({ calls: [before[0]], next: undefined } as typeof page);
  });

  test("a search within a team or of a user finds nothing of others in ClickHouse", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    const foreign = { ...recordOf(newId()), teamId: 7, userId: 70 };
    const own = { ...recordOf(newId()), teamId: 8, userId: 80 };
    await writeAll(storage, [foreign, own, recordOf(newId())]);
    await copyTo(server.url, storage);
    await pruneTo(storage, Date.now() + 1_000);
    const log = logOver(server.url, storage);
    const idsIn = async (query: Parameters<CallLog["list"]>[0]) =>
      (await log.list(query)).calls.map(({ id }) => id);

    expect(await idsIn({ scope: { teamId: 8 }, limit: 9 })).toEqual([own.id]);
    expect(await idsIn({ scope: { userId: 80 }, limit: 9, from: 0 })).toEqual([own.id]);
    expect(await idsIn({ scope: { teamId: 8 }, userId: 70, limit: 9 })).toEqual([]);
    expect(await idsIn({ scope: { teamId: 8 }, after: { id: foreign.id }, limit: 9 })).toEqual([]);
    expect(await log.find(foreign.id, { teamId: 8 })).toBeUndefined();
    expect(await log.find(foreign.id, { teamId: 7 })).toMatchObject({ id: foreign.id });
    expect(await idsIn({ after: { id: foreign.id }, limit: 9, isAscending: true })).toContain(
      own.id,
    );
  });

  test("a call that was corrected after its export is found once, with its last record", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    const broken = { ...recordOf(newId()), outcome: "interrupted" as const, userId: 90 };
    const corrected = { ...broken, outcome: "completed" as const, cost: nanoUsd(9) };
    const others = [1, 2, 3].map(() => ({ ...recordOf(newId()), userId: 90 }));
    await writeAll(storage, [broken, ...others]);
    await copyTo(server.url, storage);
    await storage.db.deleteFrom("calls").where("id", "=", broken.id).execute();
    await writeAll(storage, [corrected, { ...recordOf(newId()), userId: 90 }]);
    const log = logOver(server.url, storage);
    const found = async () => {
      const query = { userId: 90, limit: 2, isAscending: true };
      const ids = await listAll({ calls: log }, query);
      return [ids.filter((id) => id === broken.id).length, await log.find(broken.id)] as const;
    };
    const once = [1, expect.objectContaining({ outcome: "completed", cost: 9 })];

    // The correction is in the database alone, then in both, then in ClickHouse alone.
    await pruneTo(storage, Date.now() - DAY_MS);
    expect(await found()).toEqual(once as never);
    await copyTo(server.url, storage);
    expect(await found()).toEqual(once as never);
    await pruneTo(storage, Date.now() + 1_000);
    expect(await found()).toEqual(once as never);
    await server.merge();
    expect(await found()).toEqual(once as never);
  });

  test("calls that are deleted during a search are not missing", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    const records = Array.from({ length: 40 }, (_, at) => ({ ...someCall(at), userId: 93 }));
    await writeAll(storage, records);
    await copyTo(server.url, storage);
    await pruneTo(storage, START + 10_000);
    const archive = archiveAt(server.url);
    const search: typeof archive.search = async (asked) => {
      const found = await archive.search(asked);
      // After the archive has answered, and before the database is asked.
      await pruneTo(storage, START + 30_000);
      return found;
    };
    const log = storage.withArchive({ ...archive, search }, "clickhouse");

    const found = await listAll({ calls: log }, { userId: 93, limit: 20, isAscending: true });
    expect(found).toEqual(records.map(({ id }) => id));
  });

  test("while ClickHouse does not answer, the newest calls stay readable and older ones are a 503", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = openClickHouseServer(PASSWORD);
    const at = Date.now();
    const old = [0, 1, 2].map((n) => ({ ...recordOf(newId()), at: at - DAY_MS - n, userId: 91 }));
    const recent = [0, 1].map(() => ({ ...recordOf(newId()), at, userId: 91 }));
    await writeAll(storage, [...old, ...recent]);
    await copyTo(server.url, storage);
    await pruneTo(storage, at - HOUR_MS);
    const log = logOver(server.url, storage);
    server.failure = "unavailable";
    const first = await log.list({ userId: 91, limit: 4 });
    expect(first.calls.map(({ id }) => id)).toEqual(recent.map(({ id }) => id).toReversed());
    const next = { userId: 91, limit: 4, after: { seq: first.next ?? 0 } };
    expect(await reasonOf(log.list(next))).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("in ClickHouse"),
    });
    expect(await reasonOf(log.find(old[0]?.id ?? ""))).toMatchObject({ code: "unavailable" });
    expect(await log.find(recent[0]?.id ?? "")).toMatchObject({ userId: 91 });
    // No older call can be in this time.
    const late = { userId: 92, limit: 4, from: at + 2 * HOUR_MS };
    expect(await log.list(late)).toEqual({ calls: [], next: undefined });
    server.failure = undefined;
    expect((await log.list(next)).calls).toHaveLength(3);
  });

  test("expired calls wait a week for their export", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await using server = await openServer();
    const at = Date.now() - 3 * DAY_MS;
    await writeAll(storage, [{ ...recordOf(newId()), at }, recordOf(newId())]);
    await summed(storage);
    const prune = async (days: number): Promise<number> => {
      const clock = { now: () => Date.now() + days * DAY_MS, monotonic: () => 0 };
      const job = pruneJournal(storage.calls, { journalDays: 1 }, clock, ["clickhouse"]);
      await job.run(AbortSignal.timeout(10_000));
      return (await storage.calls.list({ limit: 9 })).calls.length;
    };

    expect(await storage.journalExports.lag("clickhouse")).toMatchObject({ calls: 2 });
    expect((await storage.journalExports.lag("clickhouse")).ms).toBeGreaterThan(2 * DAY_MS);
    expect(await prune(0)).toBe(2);
    expect(await prune(6)).toBe(1);
    await writeAll(storage, [{ ...recordOf(newId()), at }, recordOf(newId())]);
    await copyTo(server.url, storage);
    expect(await storage.journalExports.lag("clickhouse")).toEqual({ calls: 0, ms: 0 });
    expect(await prune(0)).toBe(2);
  });
}

test("a table of an earlier version gets the new columns with the next insert", async () => {
  await using server = await openServer();
  const connection = connectToClickHouse(server.url);
  const earlier = CLICKHOUSE_STATEMENTS.createTable.replace("  rates Nullable(String),\n", "");
  expect(earlier).not.toBe(CLICKHOUSE_STATEMENTS.createTable);
  await connection.run({ body: earlier, maxAnswerBytes: 1_000, timeoutMs: 10_000 });
  const target = openClickHouse(connection, CLICKHOUSE_STATEMENTS);
  await target.write({ first: 1, last: 1, hour: 0 }, oneEntry(RICH));

  const archive = archiveAt(server.url);
  expect(await archive.find(RICH.id, {})).toMatchObject({ seq: 1, call: { rates: RICH.rates } });
});

test("an archive that nothing was exported to is empty", async () => {
  await using server = await openServer();
  const archive = archiveAt(server.url);

  expect(await archive.find("a", {})).toBeUndefined();
  expect(
    await archive.search({ filter: {}, after: 0, last: 9, isAscending: false, limit: 5 }),
  ).toEqual({ entries: [], next: undefined });
});

/** A table without rows: in the simulated server, or in a real one if it is named. */
async function openServer() {
  const url = process.env["TEST_CLICKHOUSE_URL"];
  if (url === undefined) return openClickHouseServer(PASSWORD);
  const connection = connectToClickHouse(url);
  const run = async (body: string): Promise<void> => {
    const { failure } = await connection.run({ body, maxAnswerBytes: 1e6, timeoutMs: 60_000 });
    if (failure !== undefined) throw new Error(`ClickHouse refused ${body}: ${failure}`);
  };
  await run("DROP TABLE IF EXISTS sluice_calls SYNC");
  return {
    url,
    merge: () => run("OPTIMIZE TABLE sluice_calls FINAL"),
    [Symbol.asyncDispose]: async () => {},
  };
}

async function* oneEntry(call: CallRecord) {
  yield [{ seq: 1, call }];
}

/** Every member that the journal stores, and the characters that need care. */
const RICH: CallRecord = {
  ...recordOf("rich"),
  at: Date.UTC(2026, 0, 31, 23, 59, 59, 999),
  upstreamModel: "u",
  channel: "a",
  provider: "p",
  endpoint: "text",
  teamId: 3,
  groupId: 4,
  isStream: true,
  outcome: "failed",
  fault: "upstream_failed",
  usage: {
    inputTokens: 9_007_199_254_740,
    cachedInputTokens: 2,
    cacheWriteTokens: 3,
    audioInputTokens: 4,
    outputTokens: 5,
    reasoningTokens: 6,
    audioOutputTokens: 7,
    longCacheWriteTokens: 8,
    imageInputTokens: 9,
    imageOutputTokens: 10,
    images: 11,
    referenceImages: 12,
    durationMs: 13,
    characters: 14,
    searches: 15,
    grade: "hd",
    served: { serviceTier: "flex", region: "us" },
    isEstimated: true,
  },
  cost: nanoUsd(9_007_199_254_740_991),
  isUnpriced: true,
  rates: { input: 1, output: 2, cachedInput: 0 },
  firstByteMs: 0,
  durationMs: 12,
  attempts: [
    { channel: "b", credential: "k", fault: "upstream_timeout", status: null, durationMs: 3 },
    { channel: "a", credential: "", fault: null, status: 200, durationMs: 3, reason: 'é\t"\\n' },
  ],
  lost: ["x.y"],
  tags: {
    session: "s'\\t\t{x:String} 漢",
    agent: "g",
    parentAgent: "h",
    free: ["a\\'b", "c"],
  },
  refusedBy: { of: "key:1", by: "total" },
};

function logOver(url: string, storage: Storage): CallLog {
  return storage.withArchive(archiveAt(url), "clickhouse");
}

function archiveAt(url: string): CallArchive {
  return createCallArchive(openClickHouseSelect(connectToClickHouse(url)));
}

async function copyTo(url: string, storage: Storage): Promise<void> {
  await summed(storage);
  const target = openClickHouse(connectToClickHouse(url), CLICKHOUSE_STATEMENTS);
  await exportJournal(storage.journalExports, target).run(AbortSignal.timeout(60_000));
}

async function summed(storage: Storage): Promise<void> {
  while ((await storage.usage.sum(1_000)) > 0);
  while ((await storage.calls.index(1_000)) > 0);
}

async function pruneTo(storage: Storage, time: number): Promise<void> {
  while ((await storage.calls.prune(time, 1_000)) > 0);
}
