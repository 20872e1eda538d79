import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import type { CallRecord } from "#core/call.ts";
import { EXPORT_COLUMNS, type JournalTarget } from "#core/journal-export.ts";
import { nanoUsd } from "#core/money.ts";
import { connectToClickHouse } from "#egress/journal/clickhouse-connection.ts";
import { openClickHouse } from "#egress/journal/clickhouse.ts";
import { openParquetFiles } from "#egress/journal/parquet.ts";
import { exportJournal } from "#jobs/export-journal.ts";
import { CLICKHOUSE_STATEMENTS } from "#storage/journal/clickhouse-statements.ts";
import { replaceCall } from "#storage/journal/replace-call.ts";
import type { Storage } from "#storage/open.ts";
import { openClickHouseServer } from "#test/clickhouse-server.ts";
import { isPostgresReachable } from "#test/scratch-database.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { newId, openAt, reasonOf, recordOf, type Address } from "./contract-place.ts";
import { write } from "./contract-usage.ts";
import { openDatabase } from "./postgres-place.ts";

const HOUR_MS = 3_600_000;
const HOUR = Date.UTC(2026, 0, 31, 15);
const PASSWORD = "a pass/word:of@the#store";

interface Opened extends AsyncDisposable {
  readonly address: Address;
}

describe("on SQLite", () => describeExports(openFolder));
describe.if(isPostgresReachable || process.env["CI"] !== undefined)("on PostgreSQL", () =>
  describeExports(() => openDatabase()),
);

async function openFolder(): Promise<Opened> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-export-"));
  await placeSchema(dataDir);
  return {
    address: { dataDir },
    [Symbol.asyncDispose]: async () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

function describeExports(openPlace: () => Promise<Opened>): void {
  test("the journal is copied to ClickHouse once, although answers are lost and the gateway is restarted", async () => {
    await using place = await openPlace();
    await using server = openClickHouseServer(PASSWORD);
    const target = targetAt(server.url);
    {
      await using storage = await openAt(place.address);
      await write(storage, someCalls(1));
      await copy(storage, target);
      await write(storage, someCalls(1_202));
      server.failure = "lost answer";
      expect(String(await reasonOf(copy(storage, target)))).toContain("refused the export");
    }
    server.failure = undefined;
    await using storage = await openAt(place.address);
    await releaseLease(storage);
    await copy(storage, target);
    await copy(storage, target);
    await write(storage, someCalls(2));
    await copy(storage, target);

    expect(server.inserted).toHaveLength(1_205);
    expect(server.repeated).toBe(1);
    expect(await storage.usage.report({ from: 0, to: 2 * HOUR, by: [] })).toMatchObject({
      total: {
        calls: 1_205,
        cost: server.final().reduce((sum, row) => sum + Number(row["cost_nano_usd"]), 0),
      },
    });
  });

  test("calls with the numbers of other calls are not dropped, as after a restored backup", async () => {
    await using server = openClickHouseServer(PASSWORD);
    for (let restored = 0; restored < 2; restored++) {
      await using place = await openPlace();
      await using storage = await openAt(place.address);
      await write(storage, someCalls(3));
      await copy(storage, targetAt(server.url));
    }

    expect(server.repeated).toBe(0);
    expect(server.final()).toHaveLength(6);
  });

  test("the call of a task is exported with its team, which is added after its end", async () => {
    await using place = await openPlace();
    await using server = openClickHouseServer(PASSWORD);
    await using storage = await openAt(place.address);
    const { id: userId } = await storage.users.ensureRoot();
    const { id } = await storage.teams.create({ name: "t" }, "root");
    await storage.db.updateTable("users").set({ team_id: id }).execute();
    await write(storage, [{ at: HOUR, userId, endpoint: "videos" }]);
    await copy(storage, targetAt(server.url));

    expect(server.final()).toMatchObject([{ team_id: id }]);
  });

  test("only one gateway exports, and another takes over after the end of its lease", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await write(storage, someCalls(3));
    const rule = { maxNumbers: 2, isByHour: false };
    const range = await storage.journalExports.next("a", rule);

    expect(range).toMatchObject({ hour: HOUR });
    expect((range?.last ?? 0) - (range?.first ?? 0)).toBe(1);
    expect(await storage.journalExports.next("a", rule)).toEqual(range);
    await setHolder(storage, "another");
    expect(await storage.journalExports.next("a", rule)).toBeUndefined();
    await releaseLease(storage);
    expect(await storage.journalExports.next("a", rule)).toEqual(range);
    if (range !== undefined) await storage.journalExports.finish("a", range);
    expect(await storage.journalExports.next("a", rule)).toMatchObject({
      first: (range?.last ?? 0) + 1,
    });
    // Targets do not share their progress.
    expect(await storage.journalExports.next("b", rule)).toEqual(range);
  });

  test("each hour that has ended is a Parquet file, with every column of every call", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const files = new Map<string, Uint8Array>();
    const target = openParquetFiles({
      async put(path, bytes) {
        files.set(path, Buffer.concat(await Array.fromAsync(bytes)));
        return { sizeBytes: 0, digest: "" };
      },
    });
    await write(storage, someCalls(700));
    await write(storage, [{ at: HOUR + HOUR_MS, durationMs: 5, tags: { free: ["project=x"] } }]);
    await write(storage, [{ at: Date.now() }]);
    await copy(storage, target);
    await copy(storage, target);

    expect([...files.keys()].map((path) => path.replace(/\d+-\d+\.parquet$/, ""))).toEqual([
      "journal/day=2026-01-31/hour=15/",
      "journal/day=2026-01-31/hour=16/",
    ]);
    const [first = [], second = []] = await Promise.all([...files.values()].map(read));
    expect(first).toHaveLength(700);
    expect(second).toMatchObject([{ tags: '["project=x"]', duration_ms: 5n }]);
    const { calls } = await storage.calls.list({ limit: 1, isAscending: true });
    const [call] = calls;
    if (call === undefined) throw new Error("There is no call.");
    expect(first[0]).toEqual(
      Object.fromEntries(
        EXPORT_COLUMNS.map(({ name, kind, read }) => {
          const value = read({ seq: Number(first[0]?.["seq"]), call });
          if (typeof value !== "number") return [name, value];
          return [name, kind === "time" ? new Date(value) : BigInt(value)];
        }),
      ),
    );
  });
}

test.if(isPostgresReachable)(
  "a corrected record replaces the earlier one in ClickHouse",
  async () => {
    await using place = await openDatabase();
    await using server = openClickHouseServer(PASSWORD);
    await using storage = await openAt(place.address);
    const target = targetAt(server.url);
    const [call] = someCalls(1);
    const record = { ...recordOf(newId()), ...call };
    storage.journal.write({ ...record, outcome: "interrupted" });
    await storage.ping();
    await copy(storage, target);
    await storage.db.transaction().execute(async (transaction) => {
      const linesOf = () => {
        throw new Error("The call is not summed.");
      };
      const corrected = { ...record, cost: nanoUsd(99) };
      await replaceCall(transaction, corrected, { maxLabels: 1, linesOf });
    });
    await copy(storage, target);

    expect(server.inserted).toHaveLength(2);
    expect(server.final()).toMatchObject([
      { id: record.id, outcome: "completed", cost_nano_usd: 99, at: "2026-01-31 15:00:00.000" },
    ]);
  },
);

describe("a ClickHouse that refuses", () => {
  const server = openClickHouseServer(PASSWORD);
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    [
      "the password",
      (url: string) => url.replace("a%20pass", "b%20pass"),
      "the user or the password is wrong",
    ],
    ["the database", (url: string) => url.replace("/logs", "/none"), "the database does not exist"],
  ])("%s is named in the error, without the URL's password", async (_, change, reason) => {
    const url = change(server.url);
    const error = await reasonOf(targetAt(url).write({ first: 1, last: 1, hour: HOUR }, oneCall()));

    expect(String(error)).toContain(reason);
    expect(Bun.inspect(error)).not.toContain("word:of");
    expect(Bun.inspect(error)).not.toContain(encodeURIComponent(PASSWORD).slice(5));
  });

  test("for a while gets the calls later", async () => {
    const target = targetAt(server.url);
    server.failure = "unavailable";
    const range = { first: 1, last: 1, hour: HOUR };
    expect(String(await reasonOf(target.write(range, oneCall())))).toContain("HTTP 503");
    server.failure = undefined;
    await target.write(range, oneCall());

    expect(server.inserted).toHaveLength(1);
  });
});

function targetAt(url: string): JournalTarget {
  return openClickHouse(connectToClickHouse(url), CLICKHOUSE_STATEMENTS);
}

async function* oneCall() {
  yield [{ seq: 1, call: recordOf("a") }];
}

function someCalls(count: number): readonly Partial<CallRecord>[] {
  return Array.from({ length: count }, (_, number) => ({
    at: HOUR,
    cost: nanoUsd(number),
    channel: "a",
    tags: { session: `s-${number}` },
    attempts: [
      { channel: "a", credential: "k", fault: null, status: 200, durationMs: 3, reason: 'é\n"' },
    ],
  }));
}

function copy(storage: Storage, target: JournalTarget): Promise<void> {
  return exportJournal(storage.journalExports, target).run(AbortSignal.timeout(60_000));
}

async function releaseLease(storage: Storage): Promise<void> {
  await changeProgress(storage, (progress) => ({ ...progress, until: 0 }));
}

async function setHolder(storage: Storage, instance: string): Promise<void> {
  await changeProgress(storage, (progress) => ({ ...progress, instance }));
}

async function changeProgress(
  { db }: Storage,
  change: (progress: Record<string, unknown>) => unknown,
): Promise<void> {
  const rows = await db
    .selectFrom("meta")
    .selectAll()
    .where("key", "like", "journal_export:%")
    .execute();
  for (const { key, value } of rows) {
    const changed = JSON.stringify(change(JSON.parse(value) as Record<string, unknown>));
    await db.updateTable("meta").set({ value: changed }).where("key", "=", key).execute();
  }
}

async function read(file: Uint8Array): Promise<Record<string, unknown>[]> {
  return (await parquetReadObjects({
    file: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength) as ArrayBuffer,
  })) as Record<string, unknown>[];
}
