import { describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { Client } from "pg";
import { createSecret, type ApiKey } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import type { KeyDraft } from "#core/user-keys.ts";
import { SEED, random, times } from "#test/seed.ts";
import { isPostgresReachable, query, SERVER, urlOfDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";
import { openDatabase } from "./postgres-place.ts";
import { openCutter } from "./contract-cutter.ts";
import { entryOf } from "./contract-audit.ts";
import { sumAll, write } from "./contract-usage.ts";
import { startChild } from "./contract.ts";
import { holdFor, newId, openAt, reasonOf, recordOf, withKey } from "./contract-place.ts";
import { openLedgerReader, verifyWholeLedger } from "#storage/accounts/ledger-reader.ts";
import type { Storage } from "#storage/open.ts";
import { CALL_COLUMNS } from "#storage/tables/calls.ts";
import { namesOf } from "#storage/tables/columns.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";

const CALL_NAMES = namesOf(CALL_COLUMNS);

describe.if(isPostgresReachable)("a PostgreSQL database", () => {
  describe("several gateways on one database", describeSharing);
  describe("the connection to the database", describeConnection);
});

function describeSharing(): void {
  test("two gateways together admit exactly as many calls as the budget allows", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);

    for (let round = 0; round < times(3, 100); round++) {
      const accounts = await withKey(one, 50);
      const holds = await Promise.allSettled(
        Array.from({ length: 500 }, (_, i) =>
          (i % 2 === 0 ? one : two).ledger.hold(holdFor(accounts, 1)),
        ),
      );
      expect(holds.filter((hold) => hold.status === "fulfilled")).toHaveLength(50);
    }
    expect(await verifyLedger(one.db)).toEqual([]);
  }, 60_000);

  test.each([
    ["a key's quota", (storage: Storage) => keyFor50(storage, { quota: nanoUsd(50) })],
    ["a day's budget", (storage: Storage) => keyFor50(storage, { budgets: { day: nanoUsd(50) } })],
    [
      "the smaller of two budgets",
      (storage: Storage) =>
        keyFor50(storage, {
          budgets: { month: nanoUsd(50), hour: nanoUsd(70), week: nanoUsd(51) },
        }),
    ],
    ["a raised budget", keyRaisedTo50],
    ["a team's balance", keyInTeamFor50],
  ])(
    "two processes together admit exactly as many calls as %s is for",
    async (_, makeKey) => {
      await using place = await openDatabase();
      await using storage = await openAt(place.address);

      for (let round = 0; round < times(1, 20); round++) {
        const { accounts, budgets = [] } = await makeKey(storage);
        const act = { type: "race", count: 250, amount: 1 } as const;
        const task = { address: place.address, accounts, budgets, act };
        await using first = startChild(task);
        await using second = startChild(task);

        const admitted = [
          await first.line(/^admitted (\d+)$/),
          await second.line(/^admitted (\d+)$/),
        ].map(Number);

        expect((admitted[0] ?? 0) + (admitted[1] ?? 0)).toBe(50);
      }
      expect(await verifyLedger(storage.db)).toEqual([]);
    },
    300_000,
  );

  test("two gateways together write one audit chain without gaps or forks", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);

    for (let i = 0; i < 40; i++) {
      await Promise.all(
        [one, two, one, two].map(({ audit }) => audit.write(entryOf({ at: Date.now() - i }))),
      );
    }

    expect(await one.audit.head()).toMatchObject({ seq: 160 });
    expect(await two.audit.verify(0)).toMatchObject({ last: { seq: 160 }, broken: undefined });
  });

  test("a call whose row number appears late is summed once", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const late = new Client({ connectionString: place.address.databaseUrl });
    await late.connect();
    await write(one, [{ at: 1 }]);
    await late.query("begin");
    const copied = CALL_NAMES.filter((name) => name !== "id").join(", ");
    await late.query(`insert into calls (id, ${copied}) select 'late', ${copied} from calls`);
    await write(one, [{ at: 1 }, { at: 1 }]);

    const before = await one.usage.sum(10);
    await late.query("commit");
    await late.end();
    await Promise.all([one, two, one, two].map((each) => each.usage.sum(10)));

    expect(before).toBe(0);
    expect(await one.usage.sum(10)).toBe(0);
    const kept = await one.db.selectFrom("usage_hours").select("calls").execute();
    expect(kept).toEqual([{ calls: 4 }]);
  }, 20_000);

  test("two gateways that sum usage while calls are written count each call once", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    let isOver = false;
    const summing = [one, two, one, two].map(async (each) => {
      while (!isOver) await each.usage.sum(13);
    });

    for (let i = 0; i < times(60, 1_000); i++) {
      await Promise.all(
        [one, two].map((each) =>
          write(
            each,
            Array.from({ length: 20 }, () => ({ at: 1 })),
          ),
        ),
      );
    }
    isOver = true;
    await Promise.all(summing);
    await sumAll(one);

    const kept = await one.db.selectFrom("usage_hours").select("calls").execute();
    expect(kept).toEqual([{ calls: times(60, 1_000) * 40 }]);
  }, 600_000);

  test("two gateways that close the same abandoned hold charge it once", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address);
    await using two = await openAt(place.address);
    const accounts = await withKey(one, 10_000);

    for (let round = 0; round < 10; round++) {
      const request = holdFor(accounts, 10);
      await one.ledger.hold(request);
      const closes = await Promise.all(
        [one, two, one, two].map(({ ledger }) =>
          ledger.settle(request.callId, nanoUsd(10), recordOf(request.callId, 10)),
        ),
      );
      expect(closes.filter((isFirst) => isFirst)).toHaveLength(1);
    }

    expect(await one.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 100 });
    expect(await verifyLedger(one.db)).toEqual([]);
  });

  test("a transaction that loses a deadlock is retried without an error to the client", async () => {
    await using place = await openDatabase();
    await using storage = await openAt(place.address, { limits: { holdTimeoutMs: 10_000 } });
    const accounts = await withKey(storage, 100);
    const other = new Client({ connectionString: place.address.databaseUrl });
    await other.connect();
    const lock = (id: string): Promise<unknown> =>
      other.query("select * from accounts where id = $1 for update", [id]);

    await other.query("begin");
    await lock("user:1");
    const hold = storage.ledger.hold(holdFor(accounts, 10));
    // The gateway has the first account by now, and waits for the second.
    await Bun.sleep(300);
    await reasonOf(lock("key:1"));
    await other.query("commit");
    await other.end();

    await (
      await hold
    ).durable;
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 10 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 20_000);

  test("a gateway that releases a hold with an unknown result does not affect other gateways' holds", async () => {
    await using place = await openDatabase();
    await using cutter = await openCutter(SERVER);
    await using owner = await openAt(place.address);
    await using other = await openAt({
      ...place.address,
      databaseUrl: cutter.through(place.address.databaseUrl),
    });
    const request = holdFor(await withKey(owner, 100), 10);
    await owner.ledger.hold(request);

    cutter.cut();
    const refused = await reasonOf(other.ledger.hold(request));
    cutter.mend();
    await waitFor(() => isReady(other));

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(await owner.ledger.findAccount("key:1")).toMatchObject({ held: 10 });
    expect(await owner.ledger.settle(request.callId, nanoUsd(9), recordOf(request.callId, 9))).toBe(
      true,
    );
  }, 20_000);

  test("a task refused because of a slow database has no reservation after the database recovers", async () => {
    await using place = await openDatabase();
    await using storage = await openAt(place.address, { limits: { holdTimeoutMs: 50 } });
    const request = { ...holdFor(await withKey(storage, 100), 10), isLasting: true } as const;
    const lock = await place.lock();

    const refused = await reasonOf(storage.ledger.hold(request));
    await lock[Symbol.asyncDispose]();
    await storage.ping();
    await storage.ping();

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0 });
    expect(await storage.db.selectFrom("holds").selectAll().execute()).toEqual([]);
  });

  test("a hold is abandoned 30 seconds after its gateway's last heartbeat, and not before", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address, { instance: "one" });
    await using two = await openAt(place.address, { instance: "two" });
    const request = holdFor(await withKey(one, 100), 10);
    await one.ledger.hold(request);
    const seenBefore = async (ms: number): Promise<number> => {
      await one.db
        .updateTable("instances")
        .set({ seen_at: Date.now() - ms })
        .where("id", "=", "one")
        .execute();
      return (await two.ledger.listAbandoned()).length;
    };

    expect(await seenBefore(20_000)).toBe(0);
    expect(await seenBefore(40_000)).toBe(1);
    expect(await one.ledger.listAbandoned()).toEqual([]);
  });

  test("after an outage of the database, no gateway treats another one as dead at once", async () => {
    await using place = await openDatabase();
    let now = 0;
    const clock = { now: () => Date.now(), monotonic: () => now };
    await using one = await openAt(place.address, { instance: "one" });
    await using two = await openAt(place.address, { instance: "two", clock });
    const request = holdFor(await withKey(one, 100), 10);
    await one.ledger.hold(request);
    const { id: userId } = await one.users.ensureRoot();
    const at = Date.now();
    const claim = { id: "key", userId, question: "what?", at, endsBy: at + 3_600_000 };
    await one.keptAnswers.claim({ ...claim, callId: newId() });

    now = 40_000;
    await one.db
      .updateTable("instances")
      .set({ seen_at: Date.now() - 40_000 })
      .execute();

    expect(await two.ledger.listAbandoned()).toEqual([]);
    expect(await two.keptAnswers.claim({ ...claim, callId: newId() })).toEqual({ kind: "running" });
    await one.close();
    expect(await two.ledger.listAbandoned()).toHaveLength(1);
  });

  test("a gateway keeps its claims until 30 seconds after its last heartbeat", async () => {
    await using place = await openDatabase();
    await using one = await openAt(place.address, { instance: "one" });
    await using two = await openAt(place.address, { instance: "two" });
    const { id: userId } = await one.users.ensureRoot();
    const at = Date.now();
    const claim = { id: "key", userId, question: "what?", at, endsBy: at + 3_600_000 };
    await one.keptAnswers.claim({ ...claim, callId: newId() });
    const seenBefore = async (ms: number): Promise<string> => {
      await one.db
        .updateTable("instances")
        .set({ seen_at: Date.now() - ms })
        .where("id", "=", "one")
        .execute();
      return (await two.keptAnswers.claim({ ...claim, callId: newId() })).kind;
    };

    expect(await seenBefore(20_000)).toBe("running");
    expect(await seenBefore(40_000)).toBe("claimed");
  });

  test("a key deleted at one gateway is refused by the others within a second", async () => {
    await using place = await openDatabase();
    let now = 0;
    const clock = { now: () => Date.now(), monotonic: () => now };
    await using one = await openAt(place.address);
    await using two = await openAt(place.address, { clock });
    const { id: userId } = await one.users.ensureRoot();
    const { key, secret } = await one.keys.create({ userId, name: "ci", models: ["*"] });
    await two.keys.find(secret);

    await one.keys.delete(key.id);
    now = 999;
    const within = await two.keys.find(secret);
    now = 1_000;

    expect(within).toEqual(key);
    expect(await two.keys.find(secret)).toBeUndefined();
  });

  test("gateways that start together on an empty database agree on its schema and its keys", async () => {
    await using place = await openDatabase({ isEmpty: true });

    await using stack = new AsyncDisposableStack();
    const storages = await Promise.all([1, 2, 3, 4].map(() => openAt(place.address)));
    for (const storage of storages) stack.use(storage);
    const keys = await Promise.all(
      storages.map(async ({ users, keys: store }) => {
        const { id: userId } = await users.ensureRoot();
        const secret = "a-secret-of-somebodys-own-making";
        return store.syncNamed({ userId, name: "ci", secret, models: ["*"], quota: nanoUsd(50) });
      }),
    );

    expect(new Set(keys.map((key) => key.id)).size).toBe(1);
    expect(await storages[0]?.keys.list(1)).toHaveLength(1);
    const db = await place.tamper();
    expect(await verifyLedger(db)).toEqual([]);
  });
}

function describeConnection(): void {
  test("while the database is unreachable, calls are refused and settlements wait", async () => {
    await using place = await openDatabase();
    await using cutter = await openCutter(SERVER);
    const address = { ...place.address, databaseUrl: cutter.through(place.address.databaseUrl) };
    await using storage = await openAt(address);
    const accounts = await withKey(storage, 1_000);
    const request = holdFor(accounts, 100);
    await storage.ledger.hold(request);

    cutter.cut();
    const settled = storage.ledger.settle(
      request.callId,
      nanoUsd(60),
      recordOf(request.callId, 60),
    );
    const refused = await Promise.allSettled(
      [1, 2, 3].map(() => storage.ledger.hold(holdFor(accounts, 1))),
    );
    expect(refused).toMatchObject(refused.map(() => ({ reason: { code: "unavailable" } })));
    expect(await reasonOf(Promise.resolve(storage.keys.find(createSecret())))).toMatchObject({
      code: "unavailable",
    });
    cutter.mend();

    expect(await settled).toBe(true);
    await waitFor(() => isReady(storage));
    expect(await storage.ledger.findAccount("key:1")).toMatchObject({ held: 0, spent: 60 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 30_000);

  test(
    "connections that break at any moment lose no settlement, double none, and leave no open hold",
    async () => {
      await using place = await openDatabase();
      await using cutter = await openCutter(SERVER);
      const address = { ...place.address, databaseUrl: cutter.through(place.address.databaseUrl) };
      await using storage = await openAt(address);
      const accounts = await withKey(storage);
      const chance = random(SEED);
      let isOver = false;
      let owed = 0;
      let refused = 0;

      const callers = Array.from({ length: 16 }, async () => {
        while (!isOver) {
          const request = holdFor(accounts, 10, newId());
          try {
            await storage.ledger.hold(request);
          } catch {
            refused++;
            await Bun.sleep(5);
            continue;
          }
          const cost = Math.floor(chance() * 10);
          // Out of step with the others, so that each cut meets calls in all their states.
          await Bun.sleep(chance() * 4);
          owed += cost;
          expect(
            await storage.ledger.settle(
              request.callId,
              nanoUsd(cost),
              recordOf(request.callId, cost),
            ),
          ).toBe(true);
        }
      });
      for (let cut = 0; cut < times(15, 300); cut++) {
        await Bun.sleep(chance() * 60);
        cutter.cut();
        await Bun.sleep(chance() * 20);
        cutter.mend();
        await waitFor(() => isReady(storage));
      }
      isOver = true;
      await Promise.all(callers);

      await waitFor(() => isReady(storage));
      expect(refused).toBeGreaterThan(0);
      await using looker = await openAt(place.address);
      await waitFor(async () => (await looker.ledger.findAccount("user:1"))?.held === 0);
      expect(await looker.ledger.findAccount("user:1")).toMatchObject({ held: 0, spent: owed });
      expect(await verifyLedger(looker.db)).toEqual([]);
    },
    times(60_000, 300_000),
  );

  test("connections to a read-only server are replaced by connections to a writable one", async () => {
    await using place = await openDatabase();
    await using storage = await openAt(place.address);
    const accounts = await withKey(storage, 100);
    const { databaseUrl } = place.address;
    const name = new URL(databaseUrl).pathname.slice(1);
    // Those that are open stay as they are, as on a server that another one took over from.
    const breakAll = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`;
    await query(SERVER, `alter database ${name} set default_transaction_read_only = on`);
    await query(SERVER, breakAll);
    const addTeam = (): Promise<unknown> => storage.teams.create({ name: newId() }, "a test");
    await waitFor(async () => stateOf(await reasonOf(addTeam())) === "25006");
    await waitFor(async () => !(await isReady(storage)));

    await query(SERVER, `alter database ${name} reset default_transaction_read_only`);

    await waitFor(() => isReady(storage));
    expect(await reasonOf(storage.ledger.hold(holdFor(accounts, 1)))).toBeUndefined();
    expect(await reasonOf(addTeam())).toBeUndefined();
  }, 20_000);

  test("a ledger of several years is verified completely", async () => {
    await using place = await openDatabase();
    await using storage = await openAt(place.address);
    await using db = await openLedgerReader(place.address);
    const patience = sql<{ statement_timeout: string }>`show statement_timeout`;

    expect((await patience.execute(db)).rows).toEqual([{ statement_timeout: "0" }]);
    expect((await patience.execute(storage.db)).rows).toEqual([{ statement_timeout: "5s" }]);
    expect(await verifyWholeLedger(place.address)).toEqual([]);
  });

  test("a gateway that finds no database reports an error after a limited time", async () => {
    await using place = await openDatabase();
    const { databaseUrl: _, ...address } = place.address;

    const nobody = reasonOf(
      openAt(
        { ...address, databaseUrl: "postgres://postgres@127.0.0.1:1/none" },
        { limits: { bootTimeoutMs: 700 } },
      ),
    );
    const noSuchDatabase = reasonOf(
      openAt({ ...address, databaseUrl: urlOfDatabase("sluice_no_such_database") }),
    );

    expect(String(await nobody)).toContain("Cannot open PostgreSQL at 127.0.0.1:1: ");
    expect(String(await nobody)).toContain("ECONNREFUSED");
    expect(String(await noSuchDatabase)).toContain(
      'database "sluice_no_such_database" does not exist',
    );
  });

  test("a gateway that waits for its database logs at once its address and the reason", async () => {
    await using place = await openDatabase();
    const said: string[] = [];
    const databaseUrl = "postgres://postgres:a-password@127.0.0.1:1/none";

    await reasonOf(
      openAt(
        { ...place.address, databaseUrl },
        {
          limits: { bootTimeoutMs: 1_600 },
          onError: (cause) => void said.push(String(cause)),
        },
      ),
    );

    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/PostgreSQL at 127\.0\.0\.1:1: .*ECONNREFUSED.*Trying again for 2 s/);
    expect(said[0]).not.toContain("a-password");
  });
}

async function keyFor50(
  storage: Storage,
  bounds: Pick<KeyDraft, "quota" | "budgets">,
): Promise<ApiKey> {
  const { id: userId } = await storage.users.ensureRoot();
  return (await storage.keys.create({ userId, name: newId(), models: ["*"], ...bounds })).key;
}

async function keyRaisedTo50(storage: Storage): Promise<ApiKey> {
  const { id } = await keyFor50(storage, { budgets: { day: nanoUsd(30), month: nanoUsd(99) } });
  const until = Date.now() + 3_600_000;
  const raise = { period: "day", amount: nanoUsd(20), until, reason: "a test", by: "ada" } as const;
  await storage.quotas.raise(`key:${id}`, raise);
  return (await storage.keys.findOwn(1, id))?.key ?? (await keyFor50(storage, {}));
}

async function keyInTeamFor50(storage: Storage): Promise<ApiKey> {
  const { id: userId } = await storage.users.ensureRoot();
  const team = await storage.teams.create({ name: newId(), quota: nanoUsd(50) }, "a test");
  await storage.users.change(userId, { teamId: team.id });
  return await keyFor50(storage, {});
}

function stateOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

async function isReady(storage: Storage): Promise<boolean> {
  return (await reasonOf(storage.ping())) === undefined;
}
