import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BudgetChange } from "#core/budget.ts";
import type { AccountId, ApiKey, Period } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import type { CreatedKey } from "#core/user-keys.ts";
import type { TopUp } from "#core/quota.ts";
import type { Clock } from "#lib/clock.ts";
import { times } from "#test/seed.ts";
import {
  forgetInstances,
  holdFor,
  holdWith,
  newId,
  openAt,
  reasonOf,
  recordOf,
  withKey,
  type Place,
} from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { verifyLedger } from "#storage/accounts/verify-ledger.ts";

/** What both databases promise of budgets, teams and top-ups. */
export function describeBudgets(openPlace: () => Promise<Place>): void {
  test("a call draws on all of its accounts, from the hold to the settlement", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { ledger } = storage;
    const others: AccountId[] = ["team:3", "key:1@2026-11", "user:1@2026-11-20"];
    for (const id of others) await ledger.grant(id, nanoUsd(100), "a test");
    const accounts = [...(await withKey(storage, 100)), ...others];
    const request = holdFor(accounts, 60);

    await (
      await ledger.hold(request)
    ).durable;

    for (const id of accounts) expect(await ledger.findAccount(id)).toMatchObject({ held: 60 });
    expect(await verifyLedger(storage.db)).toEqual([]);
    expect(await ledger.extend(request.callId, nanoUsd(41))).toBe(false);
    expect(await ledger.extend(request.callId, nanoUsd(40))).toBe(true);
    await ledger.settle(request.callId, nanoUsd(70), recordOf(request.callId, 70));
    for (const id of accounts) {
      expect(await ledger.findAccount(id)).toMatchObject({ held: 0, spent: 70 });
    }
    // Whichever of them it is that cannot bear a call, none reserves anything for it.
    for (const id of others) {
      await ledger.grant(id, nanoUsd(75), "less");
      const refused = await reasonOf(ledger.hold(holdFor(accounts, 10)));
      expect(refused).toMatchObject({ code: "out_of_quota" });
      await ledger.grant(id, nanoUsd(100), "as before");
    }
    for (const id of accounts) expect(await ledger.findAccount(id)).toMatchObject({ held: 0 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a manipulated ledger entry is detected on the last account of a call, too", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const others: AccountId[] = ["team:3", "key:1@2026-11", "user:1@2026-11-20"];
    for (const id of others) await storage.ledger.grant(id, nanoUsd(100), "a test");
    const accounts = [...(await withKey(storage, 100)), ...others];
    const request = holdFor(accounts, 60);
    await (
      await storage.ledger.hold(request)
    ).durable;
    const db = await place.tamper();
    const broken: string[] = [];

    for (const id of others) {
      const held = (amount: number) =>
        db
          .updateTable("accounts")
          .set({ held: nanoUsd(amount) })
          .where("id", "=", id)
          .execute();
      await held(59);
      broken.push(...(await verifyLedger(db)).map(({ subject }) => subject));
      await held(60);
    }
    expect(broken).toEqual(others);
    await db.deleteFrom("accounts").where("id", "=", "team:3").execute();
    expect(await verifyLedger(db)).toEqual([
      { rule: expect.stringContaining("exists"), subject: "team:3" },
    ]);
  });

  test("a budget's account is opened once, by the first calls of its period", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const key = await withBudgets(storage, { day: 100, month: 1_000 });
    expect(await storage.ledger.findAccount(`key:${key.id}@2026-11-20`)).toBeUndefined();

    await admitted(storage, key, 50, 1);

    for (const [period, granted] of [
      ["2026-11-20", 100],
      ["2026-11", 1_000],
    ] as const) {
      const id: AccountId = `key:${key.id}@${period}`;
      expect(await storage.ledger.findAccount(id)).toMatchObject({ granted, held: 50 });
      expect(await grantsOn(storage, id)).toEqual([granted]);
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("500 concurrent calls on a daily budget for 50: exactly 50 are admitted, every day", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const key = await withBudgets(storage, { day: 50 * 7 });

    for (let day = 0; day < times(3, 20); day++) {
      clock.pass(DAY_MS);
      expect(await admitted(storage, key, 500, 7)).toBe(50);
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 60_000);

  test("500 concurrent calls of a team's members on a balance for 50: exactly 50 are admitted, every time", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, users, keys } = storage;
    const members = [await users.ensureRoot(), await users.create({ name: "ada", role: "user" })];
    const made: CreatedKey[] = [];
    for (const { id } of members) {
      made.push(await keys.create({ userId: id, name: "own", models: ["*"] }));
    }

    for (let round = 0; round < times(3, 20); round++) {
      const team = await teams.create({ name: newId(), quota: nanoUsd(50 * 7) }, "made");
      for (const { id } of members) await users.change(id, { teamId: team.id });
      const counts = await Promise.all(
        made.map(async ({ secret, key }) => {
          return admitted(storage, (await keys.find(secret)) ?? key, 250, 7);
        }),
      );
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 60_000);

  test("a budget is full again after midnight, and a call belongs to the day of its admission", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-30T23:59:59.999Z");
    await using storage = await openAt(place.address, { clock });
    const { ledger } = storage;
    const key = await withBudgets(storage, { day: 100 });
    const late = holdWith(key, 100);
    await (
      await ledger.hold(late)
    ).durable;
    expect(await reasonOf(ledger.hold(holdWith(key, 1)))).toMatchObject({
      code: "out_of_quota",
      message: expect.stringContaining("the daily budget of this key"),
    });

    clock.pass(1);
    const early = holdWith(key, 100);
    await (
      await ledger.hold(early)
    ).durable;
    await ledger.settle(late.callId, nanoUsd(90), recordOf(late.callId, 90));

    const [before, after] = [`key:${key.id}@2026-11-30`, `key:${key.id}@2026-12-01`] as const;
    expect(await ledger.findAccount(before)).toMatchObject({ spent: 90, held: 0 });
    expect(await ledger.findAccount(after)).toMatchObject({ spent: 0, held: 100 });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a daily budget of 0 admits only calls that cost nothing", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const key = await withBudgets(storage, { day: 0 });

    expect(await admitted(storage, key, 1, 1)).toBe(0);
    expect(await admitted(storage, key, 1, 0)).toBe(1);
  });

  test("a changed budget applies at once and includes the amount already spent in the period", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { keys, ledger } = storage;
    const { id } = await withBudgets(storage, { day: 100 });
    const account: AccountId = `key:${id}@2026-11-20`;
    const change = async (day: number | null): Promise<ApiKey> => {
      const changed = await keys.update(1, id, {
        budgets: { day: day === null ? null : nanoUsd(day) },
      });
      const shown = changed?.budgets.map(({ budget }) => budget.amount);
      expect(shown).toEqual(day === null ? [] : [nanoUsd(day)]);
      if (changed === undefined) throw new Error("There is no such key.");
      return changed.key;
    };
    expect(await admitted(storage, await change(100), 1, 80)).toBe(1);

    expect(await admitted(storage, await change(70), 1, 1)).toBe(0);
    expect(await admitted(storage, await change(90), 20, 1)).toBe(10);
    const free = await change(null);
    expect(free).not.toHaveProperty("budgets");
    expect(await ledger.findAccount(account)).toMatchObject({ granted: null, held: 90 });
    expect(await admitted(storage, free, 1, 500)).toBe(1);
    expect(await admitted(storage, await change(95), 20, 1)).toBe(5);
    expect(await grantsOn(storage, account)).toEqual([-90, -30, 20, 95, 100]);
    clock.pass(DAY_MS);
    expect(await admitted(storage, await change(95), 100, 1)).toBe(95);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("setting a budget to its current value writes no ledger entry", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await withBudgets(storage, { day: 100 });

    await storage.keys.update(1, id, { budgets: { day: nanoUsd(100), month: null } });

    expect(await storage.db.selectFrom("ledger").selectAll().execute()).toEqual([]);
    expect((await storage.keys.findOwn(1, id))?.budgets).toMatchObject([
      { budget: { period: "day", amount: nanoUsd(100) } },
    ]);
  });

  test("a call admitted before a budget change opens the next period with the new amount", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T23:59:00Z");
    await using storage = await openAt(place.address, { clock });
    const before = await withBudgets(storage, { day: 100 });
    await storage.keys.update(1, before.id, { budgets: { day: nanoUsd(10) } });

    clock.pass(60_000);

    expect(await admitted(storage, before, 20, 1)).toBe(10);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("the ledger stays balanced if budget changes and first calls run in parallel", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    let key = await withBudgets(storage, { day: 1 });
    const hold = (): Promise<unknown> =>
      reasonOf(storage.ledger.hold(holdWith(key, 1)).then(({ durable }) => durable));

    for (let day = 0; day < times(40, 400); day++) {
      clock.pass(DAY_MS);
      const changes = [5, 7, 3].map((amount) =>
        storage.keys.update(1, key.id, { budgets: { day: nanoUsd(amount + day) } }),
      );
      // Each day the first call comes a little later into the first change.
      for (let turn = 0; turn < day % 20; turn++) await nextTurn();
      const calls = Array.from({ length: 20 }, hold);
      key = (await changes[2])?.key ?? key;
      await Promise.all([...changes, ...calls]);

      const id = `key:${key.id}@${new Date(clock.now()).toISOString().slice(0, 10)}` as const;
      const account = await storage.ledger.findAccount(id);
      const stored = await storage.db
        .selectFrom("accounts")
        .selectAll()
        .where("id", "=", id)
        .execute();
      expect(stored).toMatchObject([{ granted: account?.granted ?? null }]);
      expect([5, 7, 3].map((amount) => amount + day)).toContain(Number(account?.granted));
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 60_000);

  test("budgets of a key, its user and its team apply together, per month and per day", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { id: keyId } = await withBudgets(storage, { day: 90, month: 900 });
    const team = await storage.teams.create({ name: "red", budgets: usd({ day: 70 }) }, "made");
    await storage.users.change(1, { teamId: team.id });
    await storage.quotas.set("user:1", { budgets: usd({ day: 80, month: 100 }) }, "a test");
    const key = (await storage.keys.findOwn(1, keyId))?.key;
    if (key === undefined) throw new Error("There is no such key.");
    const refusal = async (): Promise<unknown> => {
      const reason = await reasonOf(storage.ledger.hold(holdWith(key, 20)));
      return reason instanceof Error ? reason.message : undefined;
    };

    expect(await admitted(storage, key, 10, 20)).toBe(3);
    expect(await refusal()).toContain("the daily budget of the team of this key");
    clock.pass(DAY_MS);
    expect(await admitted(storage, key, 10, 20)).toBe(2);
    expect(await refusal()).toContain("the monthly budget of the owner of this key");
    expect(await storage.quotas.budgets("user:1")).toMatchObject([
      { account: { id: "user:1@2026-11", held: 100 }, resetsAt: Date.parse("2026-12-01") },
      { account: { id: "user:1@2026-11-21", held: 40 }, resetsAt: Date.parse("2026-11-22") },
    ]);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("500 concurrent calls on an hourly and a monthly budget: never more than the smaller one", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const key = await withBudgets(storage, { hour: 20 * 7, week: 35 * 7, month: 50 * 7 });
    const counts: number[] = [];

    for (const pause of [0, HOUR_MS, HOUR_MS, 7 * DAY_MS, HOUR_MS]) {
      clock.pass(pause);
      counts.push(await admitted(storage, key, 100, 7));
    }

    // The hour binds, then the week, then the month.
    expect(counts).toEqual([20, 15, 0, 15, 0]);
    expect(await verifyLedger(storage.db)).toEqual([]);
  }, 60_000);

  test("a month of another start day and time zone begins there", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-14T15:59:59Z");
    await using storage = await openAt(place.address, { clock });
    const month = { amount: nanoUsd(10), startDay: 15, timeZone: "Asia/Shanghai" };
    const { key } = await makeKey(storage, { month });

    expect(await admitted(storage, key, 20, 1)).toBe(10);
    clock.pass(1_000);
    expect(await admitted(storage, key, 20, 1)).toBe(10);

    expect((await storage.keys.findOwn(1, key.id))?.budgets).toMatchObject([
      {
        account: { id: `key:${key.id}@2026-11s15`, held: 10 },
        startsAt: Date.parse("2026-11-14T16:00:00Z"),
        resetsAt: Date.parse("2026-12-14T16:00:00Z"),
      },
    ]);
    // Another start day is another account; back again, the first one counts on.
    const changed = await storage.keys.update(1, key.id, { budgets: { month: { startDay: 10 } } });
    expect(await admitted(storage, changed?.key ?? key, 20, 1)).toBe(10);
    const back = await storage.keys.update(1, key.id, { budgets: { month } });
    expect(await admitted(storage, back?.key ?? key, 20, 1)).toBe(0);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a raise counts at once and in each period, and ends by itself", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { keys, quotas } = storage;
    const key = await withBudgets(storage, { day: 10, month: 1_000 });
    const found = async () => (await keys.findOwn(1, key.id))?.key ?? key;
    expect(await admitted(storage, key, 20, 1)).toBe(10);
    const until = clock.now() + 2 * DAY_MS;
    const draft = {
      period: "day",
      amount: nanoUsd(5),
      until,
      reason: "a launch",
      by: "ada",
    } as const;

    const raise = await quotas.raise(`key:${key.id}`, draft);

    const [, day] = (await keys.findOwn(1, key.id))?.budgets ?? [];
    const { period: _, ...said } = draft;
    expect(day?.budget).toMatchObject({ amount: 10, raises: [{ ...said, id: raise.id }] });
    // Also a copy of the key from before the raise.
    expect(await admitted(storage, key, 20, 1)).toBe(5);
    const account = `key:${key.id}@2026-11-20` as const;
    const withRaise = { granted: 10, raises: [{ amount: 5, until }] };
    expect(await storage.ledger.findAccount(account)).toMatchObject(withRaise);
    expect((await storage.ledger.findAccounts([account])).get(account)).toMatchObject(withRaise);
    clock.pass(DAY_MS);
    expect(await admitted(storage, await found(), 30, 1)).toBe(15);
    clock.pass(DAY_MS - 1);
    expect(await admitted(storage, await found(), 12, 1)).toBe(12);
    clock.pass(1);
    expect(await admitted(storage, await found(), 30, 1)).toBe(0);
    clock.pass(DAY_MS);
    expect(await admitted(storage, await found(), 30, 1)).toBe(10);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a raise that is ended before its time leaves the amount, and a removed budget its raises", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { keys, quotas } = storage;
    const key = await withBudgets(storage, { day: 10 });
    const owner = `key:${key.id}` as const;
    const until = clock.now() + DAY_MS;
    const draft = { period: "day", amount: nanoUsd(5), until, reason: "x", by: "ada" } as const;
    const first = await quotas.raise(owner, draft);
    const second = await quotas.raise(owner, { ...draft, amount: nanoUsd(1) });
    expect(await admitted(storage, key, 30, 1)).toBe(16);

    expect(await quotas.endRaise(owner, first.id)).toBe(true);
    expect(await quotas.endRaise(owner, first.id)).toBe(false);
    expect(await admitted(storage, key, 1, 1)).toBe(0);
    expect((await quotas.budgets(owner))[0]?.budget.raises).toEqual([second]);
    expect(await reasonOf(quotas.raise(owner, { ...draft, period: "month" }))).toMatchObject({
      code: "invalid_request",
      param: "period",
    });

    await keys.update(1, key.id, { budgets: { day: null } });
    const again = await keys.update(1, key.id, { budgets: { day: nanoUsd(17) } });
    expect(await admitted(storage, again?.key ?? key, 30, 1)).toBe(1);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a budget that only warns refuses no call, and counts the spent amount", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { key } = await makeKey(storage, { day: { warn: nanoUsd(5) } });

    expect(await admitted(storage, key, 20, 1)).toBe(20);

    const [status] = await storage.quotas.budgets(`key:${key.id}`);
    expect(status).toMatchObject({
      budget: { amount: null, warn: 5 },
      account: { granted: null, held: 20 },
    });
    // Once it has an amount, the amount binds with what was spent before.
    const bound = await storage.keys.update(1, key.id, { budgets: { day: nanoUsd(22) } });
    expect(await admitted(storage, bound?.key ?? key, 20, 1)).toBe(2);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a member's budget binds in the name of the team only", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { teams, users, keys, quotas } = storage;
    const { key: first, secret } = await makeKey(storage);
    const found = async (): Promise<ApiKey> => (await keys.find(secret)) ?? first;
    const red = await teams.create({ name: "red" }, "made");
    const blue = await teams.create({ name: "blue" }, "made");
    await users.change(1, { teamId: red.id });

    await quotas.set(`member:${red.id}-1`, { budgets: usd({ day: 3 }) }, "a test");

    expect(await admitted(storage, await found(), 20, 1)).toBe(3);
    expect(await reasonOf(storage.ledger.hold(holdWith(await found(), 1)))).toMatchObject({
      message: expect.stringContaining("of the owner of this key in the team"),
    });
    await users.change(1, { teamId: blue.id });
    expect(await admitted(storage, await found(), 20, 1)).toBe(20);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("holds left open by a gateway are closed by the next one, on all their accounts", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    const before = await openAt(place.address, { clock });
    const team = await before.teams.create({ name: "red", quota: nanoUsd(100) }, "made");
    await before.users.ensureRoot();
    await before.users.change(1, { teamId: team.id });
    const key = await withBudgets(before, { day: 100, month: 100 });
    const request = holdWith(key, 60);
    await (
      await before.ledger.hold(request)
    ).durable;
    await before.close();

    clock.pass(DAY_MS);
    await using storage = await openAt(place.address, { clock });
    await forgetInstances(storage);
    const [abandoned] = await storage.ledger.listAbandoned();
    const all: AccountId[] = [
      "user:1",
      `team:${team.id}`,
      `key:${key.id}@2026-11`,
      `key:${key.id}@2026-11-20`,
    ];
    expect(abandoned?.accounts).toEqual(all);
    await storage.ledger.settle(request.callId, nanoUsd(25), recordOf(request.callId, 25));

    for (const id of all) {
      expect(await storage.ledger.findAccount(id)).toMatchObject({ held: 0, spent: 25 });
    }
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a team member's calls draw on the team's account from the moment of joining", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, users, keys, ledger } = storage;
    const { key: first, secret } = await makeKey(storage);
    const red = await teams.create({ name: "red", quota: nanoUsd(50) }, "made");
    const blue = await teams.create({ name: "blue" }, "made");
    const found = async (): Promise<ApiKey> => (await keys.find(secret)) ?? first;
    expect((await found()).accounts).toEqual(["user:1"]);

    expect(await users.change(1, { teamId: red.id })).toMatchObject({ teamId: red.id });
    expect((await found()).accounts).toEqual(["user:1", `team:${red.id}`]);
    expect(await admitted(storage, await found(), 60, 1)).toBe(50);
    await users.change(1, { teamId: blue.id });
    expect((await found()).accounts).toEqual(["user:1", `team:${blue.id}`]);
    expect(await admitted(storage, await found(), 5, 1)).toBe(5);
    await teams.change(blue.id, { budgets: usd({ day: 8 }) }, "a test");
    expect(await admitted(storage, await found(), 20, 1)).toBe(8);
    await users.change(1, { teamId: null });
    expect(await found()).not.toHaveProperty("budgets");

    expect(await ledger.findAccount(`team:${red.id}`)).toMatchObject({ held: 50 });
    expect(await reasonOf(users.change(1, { teamId: 4_711 }))).toMatchObject({
      code: "invalid_request",
      param: "team_id",
    });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a team has a unique name, and can be deleted only if it has no users", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { teams, users } = storage;
    await users.ensureRoot();
    const red = await teams.create({ name: "red" }, "made");
    const blue = await teams.create({ name: "blue", quota: nanoUsd(5) }, "made");
    const isTaken = { code: "invalid_request", message: expect.stringContaining("this name") };

    expect(await reasonOf(teams.create({ name: "red" }, "again"))).toMatchObject(isTaken);
    expect(
      await reasonOf(teams.change(blue.id, { name: "red", quota: nanoUsd(9) }, "x")),
    ).toMatchObject(isTaken);
    expect(await storage.ledger.findAccount(`team:${blue.id}`)).toMatchObject({ granted: 5 });
    expect(await teams.list(0, 10)).toEqual([red, blue]);
    expect(await teams.list(red.id, 10)).toEqual([blue]);
    expect(await teams.change(red.id, { name: "crimson" }, "x")).toEqual({
      ...red,
      name: "crimson",
    });
    expect(await teams.change(4_711, { name: "none" }, "x")).toBeUndefined();

    await users.change(1, { teamId: red.id });
    expect(await reasonOf(teams.delete(red.id))).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("members"),
    });
    await users.change(1, { teamId: null });
    // A deleted user is nobody's member any more.
    const leaver = await users.create({ name: "leaver", role: "user" });
    await users.change(leaver.id, { teamId: red.id });
    await users.delete(leaver.id);
    expect([await teams.delete(red.id), await teams.delete(red.id)]).toEqual([true, false]);
    expect(await teams.find(red.id)).toBeUndefined();
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("50 parallel top-ups all count, while calls continue", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, quotas, ledger } = storage;
    const { id } = await users.create({ name: "ada", role: "user", quota: nanoUsd(1_000) });
    const owner = `user:${id}` as const;

    await Promise.all([
      ...Array.from({ length: 50 }, (_, i) => quotas.topUp(owner, topUp(i - 10, `op-${i}`))),
      ...Array.from({ length: 100 }, async () => {
        const request = holdFor([owner], 3);
        await (
          await ledger.hold(request)
        ).durable;
        await ledger.settle(request.callId, nanoUsd(2), recordOf(request.callId, 2));
      }),
    ]);

    const sum = 50 * -10 + (49 * 50) / 2;
    expect(await ledger.findAccount(owner)).toEqual({
      id: owner,
      granted: nanoUsd(1_000 + sum),
      spent: nanoUsd(200),
      held: nanoUsd(0),
    });
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a repeated top-up is applied once, and refused with another amount", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, quotas, ledger } = storage;
    const { id } = await users.create({ name: "ada", role: "user", quota: nanoUsd(10) });
    const owner = `user:${id}` as const;

    const done = await Promise.all(
      Array.from({ length: 10 }, () => quotas.topUp(owner, topUp(5, "invoice"))),
    );

    expect(done.filter((isFirst) => isFirst)).toHaveLength(1);
    expect(await ledger.findAccount(owner)).toMatchObject({ granted: 15 });
    expect(await reasonOf(quotas.topUp(owner, topUp(6, "invoice")))).toMatchObject({
      code: "key_reused",
    });
    // A repetition is told so whatever has become of the account since.
    await ledger.grant(owner, null, "no bound");
    expect(await quotas.topUp(owner, topUp(5, "invoice"))).toBe(false);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("a top-up cannot remove more than was granted, and requires a limited account", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { users, quotas, ledger } = storage;
    const { id } = await users.create({ name: "ada", role: "user", quota: nanoUsd(10) });
    const owner = `user:${id}` as const;
    const isRefused = { code: "invalid_request" };

    expect(await reasonOf(quotas.topUp(owner, topUp(-11, "a")))).toMatchObject(isRefused);
    const most = Number.MAX_SAFE_INTEGER;
    expect(await reasonOf(quotas.topUp(owner, topUp(most, "b")))).toMatchObject(isRefused);
    expect(await ledger.findAccount(owner)).toMatchObject({ granted: 10 });
    expect(await quotas.topUp(owner, topUp(-10, "a"))).toBe(true);
    expect(await ledger.findAccount(owner)).toMatchObject({ granted: 0 });
    await ledger.grant(owner, null, "no bound");
    expect(await reasonOf(quotas.topUp(owner, topUp(1, "c")))).toMatchObject(isRefused);
    expect(await verifyLedger(storage.db)).toEqual([]);
  });

  test("grants are read page by page, latest first, by their owner only", async () => {
    await using place = await openPlace();
    const clock = clockAt("2026-11-20T12:00:00Z");
    await using storage = await openAt(place.address, { clock });
    const { users, quotas, ledger, teams } = storage;
    const { id } = await users.create({ name: "ada", role: "user", quota: nanoUsd(10) });
    const other = await users.create({ name: "bob", role: "user", quota: nanoUsd(10) });
    const team = await teams.create({ name: "red", quota: nanoUsd(7) }, "made");
    const owner = `user:${id}` as const;
    for (let i = 0; i < 4; i++) await quotas.topUp(owner, topUp(i + 1, `op-${i}`));
    clock.pass(1);
    await quotas.set(owner, { quota: null, budgets: usd({ day: 5 }) }, "no bound");
    await ledger.hold({ ...holdFor([owner], 1) });

    const first = await quotas.history(owner, { limit: 3 });
    const second = await quotas.history(owner, { limit: 10, before: first[2]?.id ?? "" });

    expect([...first, ...second].map(({ amount, bound, note }) => [amount, bound, note])).toEqual([
      [nanoUsd(-20), "taken", "no bound"],
      ...[4, 3, 2, 1].map((amount) => [nanoUsd(amount), "kept", "a test"]),
      [nanoUsd(10), "given", "user created"],
    ]);
    const others = await quotas.history(`user:${other.id}`, { limit: 10 });
    expect(others).toMatchObject([{ amount: 10, note: "user created" }]);
    expect(await quotas.history(owner, { limit: 10, before: others[0]?.id ?? "" })).toEqual([]);
    expect(await quotas.history(`team:${team.id}`, { limit: 10 })).toMatchObject([{ amount: 7 }]);
  });
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

function clockAt(instant: string): Clock & { pass(ms: number): void } {
  let now = Date.parse(instant);
  return { now: () => now, monotonic: () => performance.now(), pass: (ms) => void (now += ms) };
}

function usd(amounts: { readonly [P in Period]?: number }): BudgetChange {
  return Object.fromEntries(
    Object.entries(amounts).map(([period, amount]) => [period, nanoUsd(amount)]),
  );
}

function topUp(amount: number, operation: string): TopUp {
  return { amount: nanoUsd(amount), operation, note: "a test" };
}

async function makeKey(storage: Storage, budgets: BudgetChange = {}): Promise<CreatedKey> {
  const { id: userId } = await storage.users.ensureRoot();
  return await storage.keys.create({ userId, name: newId(), models: ["*"], budgets });
}

async function withBudgets(storage: Storage, amounts: Parameters<typeof usd>[0]): Promise<ApiKey> {
  return (await makeKey(storage, usd(amounts))).key;
}

/** How many of so many calls at once are let in. */
async function admitted(
  { ledger }: Storage,
  key: ApiKey,
  count: number,
  amount: number,
): Promise<number> {
  const holds = await Promise.allSettled(
    Array.from({ length: count }, () => ledger.hold(holdWith(key, amount))),
  );
  const good = holds.filter((hold) => hold.status === "fulfilled");
  await Promise.all(good.map((hold) => hold.value.durable));
  return good.length;
}

/** Smallest first. */
async function grantsOn({ db }: Storage, id: AccountId): Promise<number[]> {
  const rows = await db
    .selectFrom("ledger")
    .select("granted_delta")
    .where("kind", "=", "grant")
    .where("more_accounts", "=", id)
    .execute();
  return rows.map((row) => row.granted_delta).toSorted((a, b) => a - b);
}
