import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { Kysely } from "kysely";
import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { AccountId, Budget } from "#core/key.ts";
import type { Account, HoldRequest } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { aRecord } from "#test/a-record.ts";
import { random, SEED, times } from "#test/seed.ts";
import { verifyLedger } from "../accounts/verify-ledger.ts";
import { migrate } from "../database/migrate.ts";
import { STORAGE_LIMITS } from "../limits.ts";
import { toAccount } from "../tables/accounts.ts";
import { callValues, usualCallValues } from "../tables/calls.ts";
import type { Values } from "../tables/columns.ts";
import type { Tables } from "../tables.ts";
import { createAccounts, type Accounts } from "./accounts.ts";
import { encodeBatch, type SqliteWrite } from "./batch.ts";
import { sqliteDdl } from "./ddl.ts";
import { directDialect } from "./dialect.ts";
import { loadHolds, openSqliteLedger } from "./ledger.ts";
import { compileStatements } from "./statements.ts";
import type { Batch } from "./writer.ts";

const NOW = Date.UTC(2026, 0, 15);
const DOWN = new GatewayError("unavailable", "The database cannot be written.");
const KEYS: readonly AccountId[] = ["user:1", "key:1"];
const ATTEMPT = { channel: "a", credential: "", fault: null, status: 200, durationMs: 1 } as const;

/** An empty database with all tables; each test gets a copy. */
const EMPTY = await emptyDatabase();

async function emptyDatabase(): Promise<Uint8Array> {
  const database = new Database(":memory:");
  await migrate(new Kysely<Tables>({ dialect: directDialect(database) }), sqliteDdl);
  return database.serialize();
}

/** A ledger whose database takes or refuses its writes when the test says so. */
async function stage({
  bytes = EMPTY,
  accounts: stored = KEYS.map((id) => ({ id, granted: 1_000 })),
  instance = "this",
  checkpointMs = 1,
}: {
  readonly bytes?: Uint8Array;
  readonly accounts?: readonly { readonly id: AccountId; readonly granted: number | null }[];
  readonly instance?: string;
  readonly checkpointMs?: number;
} = {}) {
  const database = Database.deserialize(bytes);
  const db = new Kysely<Tables>({ dialect: directDialect(database) });
  const find = (id: AccountId): Account | undefined => {
    const row = database
      .query<Tables["accounts"], [string]>("select * from accounts where id = ?")
      .get(id);
    return row === null ? undefined : toAccount(row);
  };
  for (const { id, granted } of stored) {
    database.run("insert into accounts (id, granted, spent, held) values (?, ?, 0, 0)", [
      id,
      granted,
    ]);
    const [user, key] = id.startsWith("user") ? [id, null] : [null, id];
    database.run(
      `insert into ledger (op_id, kind, user_account, key_account, held_delta, spent_delta,
        granted_delta, bound_delta, at) values (?, 'grant', ?, ?, 0, 0, ?, ?, 0)`,
      [`open:${id}`, user, key, granted ?? 0, granted === null ? 0 : 1],
    );
  }
  const statements = compileStatements(db);
  const writeRow = (texts: readonly string[], row: Values): void => {
    const prepared = texts.map((text) => database.prepare(text));
    prepared.find(({ paramsCount }) => paramsCount === row.length)?.run(...row);
  };
  let queue: SqliteWrite[] = [];
  let isDown = false;
  const accounts = createAccounts(find, 1_000);
  const ledger = openSqliteLedger({
    db,
    accounts,
    holds: await loadHolds(db),
    group: {
      add: (write) => void queue.push(write),
      assertOpen() {
        if (isDown) throw DOWN;
      },
      close: async () => {},
    },
    instance,
    clock: { now: () => NOW, monotonic: () => 0 },
    limits: { ...STORAGE_LIMITS, checkpointMs },
    findBudget: (budget) => budget,
  });
  return {
    ledger,
    accounts,
    db,
    database,
    stored: find,
    statements,
    writeRow,
    setDown: (is: boolean) => void (isDown = is),
    /** Writes all that is queued. */
    commit() {
      const writes = queue;
      queue = [];
      const batch: Batch = encodeBatch(writes);
      for (const [name, texts] of Object.entries(statements)) {
        for (const row of batch[name] ?? []) writeRow(texts, row);
      }
      for (const write of writes) write.done();
    },
    /** The database cannot be written: what may wait stays queued. */
    refuse(areAll = false) {
      const refused = queue.filter(({ isRefusable }) => areAll || isRefusable);
      queue = queue.filter((write) => !refused.includes(write));
      for (const write of refused) write.refuse(DOWN);
    },
    rows: (sql: string) => database.query<Record<string, unknown>, []>(sql).all(),
  };
}

type Stage = Awaited<ReturnType<typeof stage>>;

function holdOf(amount: number, more: Partial<HoldRequest> = {}): HoldRequest {
  return {
    callId: "call-1",
    accounts: KEYS,
    amount: nanoUsd(amount),
    openedAt: NOW,
    context: { userId: 1, keyId: 1, model: "m", style: "chat" },
    ...more,
  };
}

function recordOf(id: string, cost: number): CallRecord {
  return {
    id,
    at: NOW,
    userId: 1,
    keyId: 1,
    model: "m",
    upstreamModel: null,
    channel: null,
    provider: null,
    style: "chat",
    isStream: false,
    outcome: "completed",
    fault: null,
    usage: NO_USAGE,
    cost: nanoUsd(cost),
    firstByteMs: null,
    durationMs: 1,
    attempts: [],
    lost: [],
  };
}

const settle = ({ ledger }: Stage, cost: number, id = "call-1"): Promise<boolean> =>
  ledger.settle(id, nanoUsd(cost), recordOf(id, cost));

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (cause: unknown) => GatewayError.from(cause).code,
  );

const heldBy = (accounts: Accounts, id: AccountId): number => accounts.open(id).held;

/** Memory and disk say the same of every account, and the entries add up to it. */
async function expectAgreement({ accounts, stored, db, rows }: Stage): Promise<void> {
  for (const { id } of rows("select id from accounts")) {
    const account = accounts.open(id as AccountId);
    const { granted, spent, held, queued } = account;
    expect({ id, granted, spent, held, queued }).toEqual({
      ...stored(account.id),
      queued: 0,
    } as never);
  }
  expect(await verifyLedger(db)).toEqual([]);
}

test("memory, tables and entries agree in the end, after any refusals of the database", async () => {
  for (let run = 0; run < times(8, 1_000); run++) {
    const next = random(SEED + run);
    const below = (most: number): number => Math.floor(next() * most);
    const place = await stage();
    const { ledger, accounts, commit, refuse } = place;
    /** Amounts of the calls that are open. */
    const open = new Map<string, number>();
    let spent = 0;
    for (let step = 0; step < 40; step++) {
      const callId = `call-${below(8)}-${run}`;
      const amount = below(300);
      const isFree = amount <= 1_000 - spent - sum(open.values());
      const kind = below(10);
      if (kind < 4 && !open.has(callId)) {
        const id = `${callId}-${step}`;
        const isProvisional = below(2) === 0 ? ({ isProvisional: true } as const) : {};
        const holding = ledger.hold(holdOf(amount, { callId: id, ...isProvisional }));
        expect(await codeOf(holding)).toBe(isFree ? undefined : "out_of_quota");
        if (isFree) open.set(id, amount);
      } else if (kind < 6) {
        const id = [...open.keys()].at(-1) ?? "none";
        void ledger.extend(id, nanoUsd(amount)).then(
          () => {},
          () => open.has(id) && open.set(id, (open.get(id) ?? 0) - amount),
        );
        // Whether it grew is seen from what is reserved.
        const grown = accounts.open("key:1").held - sum(open.values());
        expect([0, amount]).toContain(grown);
        if (grown > 0) open.set(id, (open.get(id) ?? 0) + amount);
      } else if (kind < 8) {
        const [id = "none"] = open.keys();
        const cost = below(2) === 0 ? 0 : below(200);
        if (open.delete(id)) spent += cost;
        void (cost === 0 ? ledger.void(id, recordOf(id, 0)) : settle(place, cost, id));
      } else if (kind === 8) {
        commit();
      } else {
        refuse();
      }
      await Bun.sleep(0);
      expect(accounts.open("user:1")).toMatchObject({ held: sum(open.values()), spent });
    }
    for (const id of open.keys()) void settle(place, 1, id);
    spent += open.size;
    commit();

    expect(place.stored("key:1")).toMatchObject({ held: 0, spent });
    expect(place.rows("select * from holds")).toEqual([]);
    await expectAgreement(place);
  }
});

function sum(amounts: Iterable<number>): number {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
}

describe("a hold", () => {
  test("of an account's whole balance is admitted, and of a nano-dollar more is not", async () => {
    const { ledger, accounts } = await stage();

    expect(await codeOf(ledger.hold(holdOf(1_001)))).toBe("out_of_quota");
    expect(heldBy(accounts, "user:1")).toBe(0);
    expect(await codeOf(ledger.hold(holdOf(1_000)))).toBeUndefined();
    expect(await codeOf(ledger.hold(holdOf(1, { callId: "call-2" })))).toBe("out_of_quota");
  });

  test("that one of its accounts cannot cover reserves nothing on the others", async () => {
    const { ledger, accounts } = await stage({
      accounts: [
        { id: "user:1", granted: null },
        { id: "key:1", granted: 10 },
      ],
    });

    expect(await codeOf(ledger.hold(holdOf(11)))).toBe("out_of_quota");
    expect(KEYS.map((id) => heldBy(accounts, id))).toEqual([0, 0]);
  });

  test("on an account that does not exist is refused", async () => {
    const { ledger } = await stage();

    expect(await codeOf(ledger.hold(holdOf(0, { accounts: ["key:9"] })))).toBe("out_of_quota");
  });

  test("is reserved once for one call, even while no new call is admitted", async () => {
    const { ledger, accounts, setDown } = await stage();
    const first = await ledger.hold(holdOf(100));
    setDown(true);
    const again = await ledger.hold(holdOf(100));

    expect(again.durable).toBe(first.durable);
    expect(heldBy(accounts, "key:1")).toBe(100);
    expect(await codeOf(ledger.hold(holdOf(100, { callId: "call-2" })))).toBe("unavailable");
    expect(await codeOf(ledger.extend("call-1", nanoUsd(1)))).toBe("unavailable");
    expect(heldBy(accounts, "key:1")).toBe(100);
  });

  test("is durable once it is on disk, and a provisional one at once", async () => {
    const { ledger, commit } = await stage();
    const { durable } = await ledger.hold(holdOf(100));
    let isDurable = false;
    void durable.then(() => (isDurable = true));
    await Bun.sleep(0);
    expect(isDurable).toBe(false);

    commit();
    await durable;
    const provisional = await ledger.hold(holdOf(1, { callId: "call-2", isProvisional: true }));
    await provisional.durable;
  });

  test("that the database refused fails for the waiting code, and is charged as it is closed", async () => {
    const place = await stage();
    const { durable } = await place.ledger.hold(holdOf(100));
    place.refuse();

    expect(await codeOf(durable)).toBe("unavailable");
    expect(await place.ledger.extend("call-1", nanoUsd(1))).toBe(false);
    void settle(place, 30);
    place.commit();

    expect(
      place.rows("select kind, held_delta, spent_delta from ledger where call_id is not null"),
    ).toEqual([
      { kind: "hold", held_delta: 100, spent_delta: 0 },
      { kind: "settle", held_delta: -100, spent_delta: 30 },
    ]);
    await expectAgreement(place);
  });

  test("is written with its process, and that of a task without", async () => {
    const { ledger, commit, rows } = await stage();
    await ledger.hold(holdOf(1));
    await ledger.hold(holdOf(1, { callId: "call-2", isLasting: true }));
    commit();

    expect(rows("select instance from holds order by call_id")).toEqual([
      { instance: "this" },
      { instance: "task" },
    ]);
  });

  test("may be zero, and grow by zero, but never be negative", async () => {
    const place = await stage();
    const { ledger, accounts } = place;
    await ledger.hold(holdOf(0));
    const growing = ledger.extend("call-1", nanoUsd(0));
    place.commit();

    expect(await growing).toBe(true);
    expect(await codeOf(ledger.hold(holdOf(-1, { callId: "call-2" })))).toBe("internal");
    expect(await codeOf(ledger.extend("call-1", nanoUsd(-1)))).toBe("internal");
    expect(await codeOf(settle(place, -1))).toBe("internal");
    expect(accounts.open("key:1")).toMatchObject({ held: 0, spent: 0 });
    void settle(place, 0);
    place.commit();
    await expectAgreement(place);
  });
});

describe("a hold that grows", () => {
  test("reserves more as far as its accounts can cover it", async () => {
    const place = await stage();
    const { ledger, accounts, commit, rows } = place;
    await ledger.hold(holdOf(600));

    expect(await ledger.extend("call-1", nanoUsd(401))).toBe(false);
    expect(await ledger.extend("call-9", nanoUsd(1))).toBe(false);
    const growing = [300, 100].map((amount) => ledger.extend("call-1", nanoUsd(amount)));
    commit();

    expect(await Promise.all(growing)).toEqual([true, true]);
    expect(heldBy(accounts, "user:1")).toBe(1_000);
    expect(rows("select amount, extensions from holds")).toEqual([
      { amount: 1_000, extensions: 2 },
    ]);
    expect(rows("select op_id from ledger where kind = 'extend' order by op_id")).toEqual([
      { op_id: "call-1:extend:1" },
      { op_id: "call-1:extend:2" },
    ]);
    await expectAgreement(place);
  });

  test("is written first if it was only in memory, once", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100, { isProvisional: true }));
    void place.ledger.extend("call-1", nanoUsd(10));
    void place.ledger.extend("call-1", nanoUsd(10));
    place.commit();

    expect(place.rows("select amount from holds")).toEqual([{ amount: 120 }]);
    expect(place.stored("key:1")).toMatchObject({ held: 120 });
    await expectAgreement(place);
  });

  test("keeps its size if the database refuses it", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    place.commit();
    const growing = place.ledger.extend("call-1", nanoUsd(10));
    place.refuse();

    expect(await codeOf(growing)).toBe("unavailable");
    expect(heldBy(place.accounts, "key:1")).toBe(100);
    void settle(place, 5);
    place.commit();
    expect(place.stored("key:1")).toMatchObject({ held: 0, spent: 5 });
    await expectAgreement(place);
  });
});

describe("the end of a call", () => {
  test("is charged once, by its first end", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    const closing = [
      settle(place, 30),
      settle(place, 30),
      place.ledger.void("call-1", recordOf("call-1", 0)),
      settle(place, 30, "call-9"),
    ];
    place.commit();

    expect(await Promise.all(closing)).toEqual([true, false, false, false]);
    expect(place.stored("key:1")).toMatchObject({ held: 0, spent: 30 });
    expect(place.rows("select id, cost from calls")).toEqual([{ id: "call-1", cost: 30 }]);
    await expectAgreement(place);
  });

  test("is told to its listener once: on disk, refused, or at once if there is no hold", async () => {
    const place = await stage();
    const told: unknown[] = [];
    const close = (id: string, cost: number): void =>
      place.ledger.closeNow?.(id, "settle", nanoUsd(cost), recordOf(id, cost), {
        onClosed: (cause) => void told.push(cause),
      });
    await place.ledger.hold(holdOf(100));
    place.commit();

    close("call-9", 1);
    expect(told).toEqual([undefined]);
    close("call-1", 30);
    expect(told).toHaveLength(1);
    place.refuse(true);
    expect(told).toEqual([undefined, DOWN]);

    close("call-1", 20);
    place.commit();
    expect(told).toEqual([undefined, DOWN, undefined]);
    expect(place.stored("key:1")).toMatchObject({ held: 0, spent: 20 });
    await expectAgreement(place);
  });

  test("that fails is no unhandled error if nothing waits for it", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    void settle(place, 30);
    place.refuse(true);
    // An unhandled rejection would fail the test in this turn.
    await new Promise((resolve) => void setImmediate(resolve));

    expect(place.accounts.open("key:1")).toMatchObject({ held: 0, spent: 0 });
  });

  test("without a charge releases everything", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    const closing = place.ledger.void("call-1", recordOf("call-1", 0));
    place.commit();

    expect(await closing).toBe(true);
    expect(place.stored("key:1")).toMatchObject({ held: 0, spent: 0 });
    expect(place.rows("select kind from ledger where call_id is not null")).toEqual([
      { kind: "hold" },
      { kind: "void" },
    ]);
    await expectAgreement(place);
  });

  test("of a hold that is not on disk writes only its charge", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100, { isProvisional: true }));
    void settle(place, 30);
    place.commit();

    expect(place.rows("select kind, held_delta from ledger where call_id is not null")).toEqual([
      { kind: "settle", held_delta: 0 },
    ]);
    await expectAgreement(place);
  });

  test("that can never be written leaves the hold open if that is on disk, for the next start", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    place.commit();
    const closing = settle(place, 30);
    place.refuse(true);

    expect(await codeOf(closing)).toBe("unavailable");
    expect(place.accounts.open("key:1")).toMatchObject({ held: 100, spent: 0 });
    await expectAgreement(place);
    const again = settle(place, 20);
    place.commit();
    expect(await again).toBe(true);
    expect(place.stored("key:1")).toMatchObject({ held: 0, spent: 20 });
  });

  test("that can never be written leaves nothing of a hold that was not on disk", async () => {
    for (const more of [{ isProvisional: true } as const, {}]) {
      const place = await stage();
      await place.ledger.hold(holdOf(100, more));
      const closing = settle(place, 30);
      place.refuse(true);

      expect(await codeOf(closing)).toBe("unavailable");
      expect(place.accounts.open("key:1")).toMatchObject({ held: 0, spent: 0 });
      expect(await settle(place, 30)).toBe(false);
      await expectAgreement(place);
    }
  });
});

describe("a budget", () => {
  const budgets: readonly Budget[] = [
    { owner: "key:1", period: "month", amount: nanoUsd(500) },
    { owner: "key:1", period: "day", amount: nanoUsd(200) },
  ];

  test("has an account for each period, opened by the first call and limiting all", async () => {
    const place = await stage();
    const { ledger } = place;
    await ledger.hold(holdOf(150, { budgets }));

    expect(await codeOf(ledger.hold(holdOf(51, { callId: "call-2", budgets })))).toBe(
      "out_of_quota",
    );
    // A change of the budget changes the account itself, and does not wait for a call.
    const raised = budgets.map((each) => ({ ...each, amount: nanoUsd(900) }));
    expect(await codeOf(ledger.hold(holdOf(51, { callId: "call-2", budgets: raised })))).toBe(
      "out_of_quota",
    );
    await ledger.hold(holdOf(50, { callId: "call-3", budgets }));
    void settle(place, 140);
    void settle(place, 10, "call-3");
    place.commit();

    expect(place.stored("key:1@2026-01")).toMatchObject({ granted: 500, held: 0, spent: 150 });
    expect(place.stored("key:1@2026-01-15")).toMatchObject({ granted: 200, held: 0, spent: 150 });
    await expectAgreement(place);
  });

  test("is opened even if the database can be written only later", async () => {
    const place = await stage();
    const { durable } = await place.ledger.hold(holdOf(100, { budgets }));
    durable.catch(() => {});
    place.refuse();
    void settle(place, 10);
    place.commit();

    expect(place.stored("key:1@2026-01-15")).toMatchObject({ granted: 200, spent: 10 });
    await expectAgreement(place);
  });
});

describe("a checkpoint", () => {
  const noted = ({ rows }: Stage): unknown => rows("select call_id, checkpoint from holds");

  test("is written soon, the newest of each call", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    place.commit();
    place.ledger.checkpoint("call-1", nanoUsd(3));
    place.ledger.checkpoint("call-1", nanoUsd(7));
    place.ledger.checkpoint("call-9", nanoUsd(7));
    await Bun.sleep(5);
    place.commit();

    expect(noted(place)).toEqual([{ call_id: "call-1", checkpoint: 7 }]);
  });

  test("that the database refuses is lost, and the next one is written", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    place.commit();
    place.ledger.checkpoint("call-1", nanoUsd(3));
    await Bun.sleep(5);
    place.refuse();
    place.commit();
    expect(noted(place)).toEqual([{ call_id: "call-1", checkpoint: null }]);

    place.ledger.checkpoint("call-1", nanoUsd(7));
    await Bun.sleep(5);
    place.commit();
    expect(noted(place)).toEqual([{ call_id: "call-1", checkpoint: 7 }]);
  });

  test("of a call that ended, or of a ledger that was closed, is not written", async () => {
    const place = await stage();
    await place.ledger.hold(holdOf(100));
    await place.ledger.hold(holdOf(100, { callId: "call-2" }));
    place.commit();
    place.ledger.checkpoint("call-1", nanoUsd(3));
    const closing = settle(place, 3);
    place.refuse(true);
    await closing.catch(() => {});
    await Bun.sleep(5);
    place.commit();
    place.ledger.checkpoint("call-2", nanoUsd(3));
    place.ledger.close();
    await Bun.sleep(5);
    place.commit();

    expect(noted(place)).toEqual([
      { call_id: "call-1", checkpoint: null },
      { call_id: "call-2", checkpoint: null },
    ]);
  });
});

describe("the next process", () => {
  test("finds the holds that the last one left open, and closes them", async () => {
    const before = await stage({ instance: "before" });
    for (const callId of ["call-2", "call-1", "call-3"]) {
      await before.ledger.hold(holdOf(100, { callId }));
    }
    void before.ledger.extend("call-1", nanoUsd(10));
    void settle(before, 1, "call-3");
    before.commit();

    const place = await stage({ bytes: before.database.serialize(), accounts: [] });
    const { ledger } = place;
    await ledger.hold(holdOf(100, { callId: "call-4" }));
    place.commit();
    const abandoned = await ledger.listAbandoned();
    expect(abandoned.map(({ callId, amount }) => [callId, Number(amount)])).toEqual([
      ["call-1", 110],
      ["call-2", 100],
    ]);

    void ledger.extend("call-1", nanoUsd(10));
    void settle(place, 40);
    expect((await ledger.listAbandoned()).map(({ callId }) => callId)).toEqual(["call-2"]);
    place.commit();
    expect(place.stored("user:1")).toMatchObject({ held: 200, spent: 41 });
    await expectAgreement(place);
  });

  test("leaves a task's hold open, unless the task was never stored", async () => {
    const before = await stage({ instance: "before" });
    const openedAt = NOW - 10 * 60_000;
    await before.ledger.hold(holdOf(1, { isLasting: true, openedAt }));
    await before.ledger.hold(
      holdOf(1, { callId: "call-2", isLasting: true, openedAt: openedAt - 1 }),
    );
    before.commit();

    const { ledger } = await stage({ bytes: before.database.serialize(), accounts: [] });
    expect((await ledger.listAbandoned()).map(({ callId }) => callId)).toEqual(["call-2"]);
  });
});

test("a call of usual columns gets the same row from either statement", async () => {
  const place = await stage();
  const record = aRecord({ id: "call-1", teamId: 3, groupId: 4, lost: ["seed"] });
  const usual = usualCallValues(record) ?? [];
  expect(usual.length).toBeLessThan(callValues(record).length);
  for (const values of [usual, callValues({ ...record, id: "call-2" })]) {
    place.writeRow(place.statements.record, values);
  }

  const [first, second] = place.rows("select * from calls order by id");
  expect(second).toEqual({ ...first, seq: 2, id: "call-2" });
});

test.each<[string, Partial<CallRecord>]>([
  ["a failed attempt", { attempts: [{ ...ATTEMPT, fault: "upstream_failed" }] }],
  ["a tag", { tags: { free: ["project=x"] } }],
  ["no price", { isUnpriced: true }],
  ["images", { usage: { ...NO_USAGE, images: 1 } }],
  ["a kind of result", { usage: { ...NO_USAGE, grade: "4K" } }],
  ["an exceeded limit", { refusedBy: { of: "key:1", by: "requests" } }],
])("a call with %s gets a row of all columns", (_, more) => {
  expect(usualCallValues(aRecord(more))).toBeUndefined();
});

test("an account is read with its current reserved and spent amounts, and an unknown one is missing", async () => {
  const place = await stage();
  await place.ledger.hold(holdOf(100));

  expect(await place.ledger.findAccount("key:1")).toEqual({
    id: "key:1",
    granted: nanoUsd(1_000),
    spent: nanoUsd(0),
    held: nanoUsd(100),
  });
  expect(await place.ledger.findAccount("key:9")).toBeUndefined();
});
