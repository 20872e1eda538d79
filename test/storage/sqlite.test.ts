import { Database, type SQLQueryBindings } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Kysely, sql, type CompiledQuery } from "kysely";
import { nanoUsd } from "#core/money.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { waitFor } from "#test/wait.ts";
import { describeStorage, startChild } from "./contract.ts";
import {
  holdFor,
  newId,
  openAt,
  reasonOf,
  recordOf,
  withKey,
  type Place,
} from "./contract-place.ts";
import { createWebhookOutbox } from "#storage/tasks/webhook-outbox.ts";
import { sqliteDdl } from "#storage/sqlite/ddl.ts";
import { directDialect } from "#storage/sqlite/dialect.ts";
import { databasePath, openSqliteReader } from "#storage/sqlite/open.ts";
import type { Tables } from "#storage/tables.ts";
import { createTaskStore } from "#storage/tasks/tasks.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";

describeStorage("SQLite", () => openFolder());

test("a second gateway on the same folder is refused until the first one has closed", async () => {
  await using place = await openFolder();
  const first = await openAt(place.address);

  const second = openAt(place.address);

  expect(String(await reasonOf(second))).toContain(
    `Another gateway is using ${place.address.dataDir}.`,
  );
  await first.ledger.grant("key:1", nanoUsd(5), "the first one still works");
  await first.close();
  await using third = await openAt(place.address);
  expect(await third.ledger.findAccount("key:1")).toMatchObject({ granted: 5 });
});

test("a gateway in another process is detected, and so is its death", async () => {
  await using place = await openFolder();
  await using child = startChild({
    address: place.address,
    accounts: ["user:1"],
    act: { type: "race", count: 1, amount: 1 },
  });
  await child.line(/^(ready)$/);
  await waitFor(() => child.lines.length > 1);
  await child.kill();

  await using storage = await openAt(place.address);

  expect(await storage.ledger.listAbandoned()).toEqual([]);
});

test("a command can read the ledger while the gateway runs, and cannot change it", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address);
  const accounts = await withKey(storage, 100);
  await (
    await storage.ledger.hold(holdFor(accounts, 10))
  ).durable;

  await using reader = openSqliteReader(place.address.dataDir);

  expect(await verifyLedger(reader)).toEqual([]);
  expect(await reader.selectFrom("holds").selectAll().execute()).toHaveLength(1);
  expect(String(await reasonOf(reader.deleteFrom("holds").execute()))).toContain("readonly");
});

test("deleting old rows does not scan the rows that are kept", async () => {
  await using place = await openFolder();
  await (await openAt(place.address)).close();
  const asked: CompiledQuery[] = [];
  const database = new Database(databasePath(place.address.dataDir));
  await using db = new Kysely<Tables>({
    dialect: directDialect(database),
    log: ({ query }) => void asked.push(query),
  });
  const deps = { db, sharedNow: () => sql.val(0) };

  await createTaskStore(deps).prune(50, 500);
  await createWebhookOutbox(deps).prune(50, 500);

  const plans = asked.map((query) =>
    database
      .query<{ detail: string }, SQLQueryBindings[]>(`explain query plan ${query.sql}`)
      .all(...(query.parameters as SQLQueryBindings[]))
      .map(({ detail }) => detail)
      .filter((detail) => detail.includes(" USING INDEX ")),
  );
  expect(plans).toEqual([
    ["SEARCH tasks USING INDEX tasks_open (settled=? AND due_at<?)"],
    ["SEARCH notices USING INDEX notices_due (state=? AND due_at<?)"],
  ]);
});

test("the database file is readable by its owner only, and has the settings for durability", async () => {
  await using place = await openFolder({ isEmpty: true });
  await using storage = await openAt(place.address);
  await storage.ping();
  const pragma = async (name: string): Promise<unknown> =>
    Object.values((await sql<object>`pragma ${sql.raw(name)}`.execute(storage.db)).rows[0] ?? {});

  const path = databasePath(place.address.dataDir);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    expect(statSync(file).mode & 0o077).toBe(0);
  }
  expect(await pragma("journal_mode")).toEqual(["wal"]);
  expect(await pragma("synchronous")).toEqual([2]);
  expect(await pragma("foreign_keys")).toEqual([1]);
  expect(await pragma("integrity_check")).toEqual(["ok"]);
});

test("a closed gateway leaves one complete file and no side files", async () => {
  await using place = await openFolder();
  const storage = await openAt(place.address);
  await withKey(storage, 100);
  await storage.keys.list(1);

  await storage.close();

  expect(readdirSync(place.address.dataDir).toSorted()).toEqual(["owner.lock", "sluice.db"]);
});

test("a full disk refuses calls and keeps pending charges; calls work again once there is space", async () => {
  await using place = await openFolder();
  const troubles: unknown[] = [];
  await using storage = await openAt(place.address, { onError: (cause) => troubles.push(cause) });
  const accounts = await withKey(storage, 100_000);
  const held = Array.from({ length: 40 }, () => holdFor(accounts, 100));
  await Promise.all(held.map(async (each) => (await storage.ledger.hold(each)).durable));
  const setPages = (count: number) =>
    sql`pragma max_page_count = ${sql.lit(count)}`.execute(storage.db);

  await setPages(1);
  const settled = held.map(({ callId }) =>
    storage.ledger.settle(callId, nanoUsd(60), {
      ...recordOf(callId, 60),
      lost: Array.from({ length: 100 }, () => "a field that takes room"),
    }),
  );
  await waitFor(() => troubles.length > 0);
  const refused = storage.ledger.hold(holdFor(accounts, 1));
  expect(await reasonOf(refused)).toMatchObject({ code: "unavailable" });
  await setPages(1_000_000);

  expect(await Promise.all(settled)).toEqual(held.map(() => true));
  await (
    await storage.ledger.hold(holdFor(accounts, 1))
  ).durable;
  expect(troubles).toHaveLength(1);
  expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 1, spent: 2_400 });
  expect(await verifyLedger(storage.db)).toEqual([]);
});

test("a call whose hold never reached the disk is charged for the delivered part", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address, { limits: { busyTimeoutMs: 100 } });
  const accounts = await withKey(storage, 1_000);
  const request = holdFor(accounts, 100);
  const lock = await place.lock();

  const { durable } = await storage.ledger.hold(request);
  expect(await reasonOf(durable)).toMatchObject({ code: "unavailable" });
  expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 100 });
  expect(await storage.ledger.extend(request.callId, nanoUsd(1))).toBe(false);
  const settled = storage.ledger.settle(request.callId, nanoUsd(30), recordOf(request.callId, 30));
  await lock[Symbol.asyncDispose]();

  expect(await settled).toBe(true);
  expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 30 });
  expect(await verifyLedger(storage.db)).toEqual([]);
});

test("an extension that never reached the disk reserves nothing", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address, { limits: { busyTimeoutMs: 100 } });
  const accounts = await withKey(storage, 1_000);
  const [kept, closed] = [holdFor(accounts, 100), holdFor(accounts, 100)];
  await (
    await storage.ledger.hold(kept)
  ).durable;
  await (
    await storage.ledger.hold(closed)
  ).durable;
  const lock = await place.lock();

  const extended = [kept, closed].map(({ callId }) => storage.ledger.extend(callId, nanoUsd(50)));
  const settled = storage.ledger.settle(closed.callId, nanoUsd(140), recordOf(closed.callId, 140));
  const answers = await Promise.allSettled(extended);
  await lock[Symbol.asyncDispose]();

  expect(answers).toMatchObject([
    { reason: { code: "unavailable" } },
    { reason: { code: "unavailable" } },
  ]);
  expect(await settled).toBe(true);
  expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 100, spent: 140 });
  expect(await verifyLedger(storage.db)).toEqual([]);
});

test("a transaction that fails halfway changes nothing and blocks no other transaction", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address);
  const accounts = await withKey(storage, 100);

  const failed = reasonOf(
    storage.db.transaction().execute(async (transaction) => {
      await transaction.updateTable("keys").set({ name: "half" }).execute();
      throw new Error("half-way");
    }),
  );
  const hold = storage.ledger.hold(holdFor(accounts, 10));

  expect(String(await failed)).toContain("half-way");
  await (
    await hold
  ).durable;
  expect(await storage.keys.list(1)).not.toMatchObject([{ key: { name: "half" } }]);
});

test("more accounts than fit in memory are all counted correctly", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address, { limits: { maxLoadedAccounts: 20 } });
  await storage.users.ensureRoot();
  const ids = Array.from({ length: 200 }, (_, i) => `key:${i + 1}` as const);
  await Promise.all(ids.map((id) => storage.ledger.grant(id, nanoUsd(100), "a test")));

  for (let round = 0; round < 3; round++) {
    await Promise.all(
      ids.map(async (id) => {
        const callId = newId();
        await storage.ledger.hold(holdFor(["user:1", id], 10, callId));
        await storage.ledger.settle(callId, nanoUsd(9), recordOf(callId, 9));
      }),
    );
  }

  for (const id of ids) expect(await storage.ledger.findAccount(id)).toMatchObject({ spent: 27 });
  expect(await verifyLedger(storage.db)).toEqual([]);
});

async function openFolder({ isEmpty = false } = {}): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-storage-"));
  if (!isEmpty) await placeSchema(dataDir);
  const connections: AsyncDisposable[] = [];
  return {
    address: { dataDir },
    ddl: sqliteDdl,
    async tamper() {
      const database = new Database(databasePath(dataDir), { readwrite: true });
      const db = new Kysely<Tables>({ dialect: directDialect(database) });
      connections.push(db);
      return db;
    },
    async lock() {
      const database = new Database(databasePath(dataDir), { readwrite: true });
      database.run("begin immediate");
      return { [Symbol.asyncDispose]: async () => database.close() };
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) await each[Symbol.asyncDispose]();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

describe("a hold without a delivered byte before it is closed", () => {
  test("is reserved at once, and writes only its settlement to disk", async () => {
    await using place = await openFolder();
    await using storage = await openAt(place.address);
    const accounts = await withKey(storage, 100);
    const request = { ...holdFor(accounts, 80), isProvisional: true } as const;

    await (
      await storage.ledger.hold(request)
    ).durable;

    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 80 });
    expect(await reasonOf(storage.ledger.hold(holdFor(accounts, 21)))).toMatchObject({
      code: "out_of_quota",
    });
    await storage.ledger.settle(request.callId, nanoUsd(30), recordOf(request.callId, 30));
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 30 });
    const entries = await storage.db.selectFrom("ledger").select("kind").execute();
    expect(entries.map(({ kind }) => kind)).toEqual(["grant", "settle"]);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("is written first if it is extended", async () => {
    await using place = await openFolder();
    await using storage = await openAt(place.address);
    const accounts = await withKey(storage, 100);
    const request = { ...holdFor(accounts, 40), isProvisional: true } as const;
    await storage.ledger.hold(request);

    expect(await storage.ledger.extend(request.callId, nanoUsd(20))).toBe(true);
    expect(await verifyLedger(storage.db)).toEqual([]);
    await storage.ledger.settle(request.callId, nanoUsd(55), recordOf(request.callId, 55));

    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 55 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("is lost in a crash, because the client got nothing", async () => {
    await using place = await openFolder();
    const before = await openAt(place.address);
    const accounts = await withKey(before, 100);
    await before.ledger.hold({ ...holdFor(accounts, 80), isProvisional: true });
    await before.close();

    await using storage = await openAt(place.address);

    expect(await storage.ledger.listAbandoned()).toEqual([]);
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 0 });
  });
});

test("a reservation whose extension cannot be written keeps its size, and can be extended later", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address, { limits: { busyTimeoutMs: 100 } });
  const { ledger } = storage;
  const request = holdFor(await withKey(storage, 100), 40);
  await (
    await ledger.hold(request)
  ).durable;
  const lock = await place.lock();

  const refused = await reasonOf(ledger.extend(request.callId, nanoUsd(50)));
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(await ledger.findAccount("key:1")).toMatchObject({ held: 40 });
  await lock[Symbol.asyncDispose]();

  await waitFor(async () => (await reasonOf(storage.ping())) === undefined);
  expect(await ledger.extend(request.callId, nanoUsd(60))).toBe(true);
  expect(await ledger.findAccount("key:1")).toMatchObject({ held: 100 });
  await ledger.settle(request.callId, nanoUsd(70), recordOf(request.callId, 70));
  expect(await ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 70 });
}, 30_000);

test("a call that ends while its extension cannot be written releases its reservation once", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address, { limits: { busyTimeoutMs: 100 } });
  const { ledger } = storage;
  const request = holdFor(await withKey(storage, 100), 40);
  await (
    await ledger.hold(request)
  ).durable;
  const lock = await place.lock();

  const growing = reasonOf(ledger.extend(request.callId, nanoUsd(50)));
  const settled = ledger.settle(request.callId, nanoUsd(30), recordOf(request.callId, 30));
  expect(await growing).toMatchObject({ code: "unavailable" });
  await lock[Symbol.asyncDispose]();

  expect(await settled).toBe(true);
  expect(await ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 30 });
}, 30_000);

test("no amount of money is negative", async () => {
  await using place = await openFolder();
  await using storage = await openAt(place.address);
  const { ledger } = storage;
  const request = holdFor(await withKey(storage, 100), 40);
  await (
    await ledger.hold(request)
  ).durable;
  const { callId } = request;
  const accounts = request.accounts;

  expect(await reasonOf(ledger.hold(holdFor(accounts, -1)))).toBeInstanceOf(Error);
  expect(await reasonOf(ledger.extend(callId, nanoUsd(-1)))).toBeInstanceOf(Error);
  expect(await reasonOf(ledger.settle(callId, nanoUsd(-1), recordOf(callId)))).toBeInstanceOf(
    Error,
  );
  expect(await ledger.findAccount("key:1")).toMatchObject({ held: 40, spent: 0 });
});
