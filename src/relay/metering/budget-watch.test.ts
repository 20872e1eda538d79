import { expect, test } from "bun:test";
import type { AccountId, ApiKey, Budget } from "#core/key.ts";
import type { Account } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { BudgetWatch, type BudgetObserver, type BudgetUse } from "./budget-watch.ts";

const NOON = Date.parse("2026-11-20T12:00:00Z");
const DAY: AccountId = "team:3@2026-11-20";

test("an observer hears of each grown percentage once, of limits and of warnings", async () => {
  const { watch, key, uses, spend } = setup({ amount: 200, warn: 100 });

  for (const spent of [0, 1, 1, 99, 100, 100, 250]) {
    spend(DAY, spent);
    watch.note(key);
    await watch.check();
  }

  const said = uses.map(({ bound, before, percent }) => `${bound} ${before} ${percent}`);
  expect(said).toEqual([
    "warning 0 1",
    "limit 0 49",
    "warning 1 99",
    "limit 49 50",
    "warning 99 100",
    "limit 50 125",
    "warning 100 250",
  ]);
  expect(uses[1]).toEqual({
    account: DAY,
    owner: "team:3",
    period: "day",
    bound: "limit",
    amount: nanoUsd(200),
    spent: nanoUsd(99),
    before: 0,
    percent: 49,
    resetsAt: Date.parse("2026-11-21"),
  });
});

test("a quota is reported as a total, and an unlimited account not at all", async () => {
  const { watch, key, uses, spend, grant } = setup({ amount: 200 });
  grant("user:7", 50);
  spend("user:7", 25);

  watch.note(key);
  await watch.check();

  expect(uses).toMatchObject([
    { account: "user:7", owner: "user:7", period: "total", percent: 50, resetsAt: null },
  ]);
});

test("an answer warns once the warning amount was read, and no more in the next period", async () => {
  const { watch, key, spend } = setup({ warn: 100 });
  const warnings = (at = NOON) => watch.warningsOf(key, at).map(({ owner }) => owner);
  spend(DAY, 100);
  watch.note(key);
  expect(warnings()).toEqual([]);

  await watch.check();

  expect(warnings()).toEqual(["team:3"]);
  expect(warnings(NOON + 86_400_000)).toEqual([]);
  spend(DAY, 99);
  watch.note(key);
  await watch.check();
  expect(warnings()).toEqual([]);
});

test("accounts are read as long as calls are running on them, and no longer", async () => {
  const { watch, key, uses, spend, hold, reads } = setup({ amount: 200 });
  hold(DAY, 5);
  watch.note(key);
  await watch.check();
  await watch.check();
  spend(DAY, 20);
  hold(DAY, 0);
  await watch.check();
  const count = reads();

  await watch.check();

  expect(uses).toMatchObject([{ percent: 10 }]);
  expect(reads()).toBe(count);
});

test("the failure of one observer is reported, and does not keep news from the others", async () => {
  const { watch, key, uses, spend, errors } = setup({ amount: 200 }, () => {
    throw new Error("a broken observer");
  });
  spend(DAY, 2);
  watch.note(key);

  await watch.check();

  expect(uses).toHaveLength(1);
  expect(errors).toHaveLength(1);
});

test("a quota of nothing is used up", async () => {
  const { watch, key, uses, grant } = setup({});
  grant("user:7", 0);

  watch.note(key);
  await watch.check();

  expect(uses).toMatchObject([{ account: "user:7", percent: 100, before: 0 }]);
});

test("a percentage that fell to zero is reported again when it grows", async () => {
  const { watch, key, uses, spend, grant } = setup({});
  spend("user:7", 50);

  for (const granted of [100, 100_000, 100]) {
    grant("user:7", granted);
    watch.note(key);
    await watch.check();
  }

  expect(uses.map(({ before, percent }) => [before, percent])).toEqual([
    [0, 50],
    [0, 50],
  ]);
});

test("an account without any entry is skipped", async () => {
  const { watch, key, uses, grant } = setup({});
  grant("user:7", 0);

  watch.note({ ...key, accounts: ["user:8", "user:7"] });
  await watch.check();

  expect(uses.map(({ account }) => account)).toEqual(["user:7"]);
});

test("a key without budgets has no warnings, while another one has", async () => {
  const { watch, key, spend } = setup({ warn: 100 });
  const { budgets, ...bare } = key;
  expect(watch.warningsOf(bare, NOON)).toEqual([]);
  spend(DAY, 100);
  watch.note(key);

  await watch.check();

  expect(watch.warningsOf(key, NOON)).toEqual(budgets ?? []);
  expect(watch.warningsOf(bare, NOON)).toEqual([]);
});

/** A watch over any number of accounts, each of which has spent half of its quota or budget. */
function setupMany() {
  const { key } = setup({});
  const reads: AccountId[] = [];
  const uses: BudgetUse[] = [];
  const [granted, spent, held] = [nanoUsd(200), nanoUsd(100), nanoUsd(0)];
  const watch = new BudgetWatch({
    ledger: {
      async findAccounts(ids) {
        reads.push(...ids);
        return new Map(ids.map((id) => [id, { id, granted, spent, held }]));
      },
    },
    clock: { now: () => NOON, monotonic: () => 0 },
    onError: () => {},
  });
  watch.add({ onBudgetUse: (use) => uses.push(use) });
  const users = (count: number): AccountId[] =>
    Array.from({ length: count }, (_, at): AccountId => `user:${at}`);
  /** Budgets of a day, each of which reached its warning amount. */
  const budgets = (count: number): Budget[] =>
    Array.from({ length: count }, (_, at) => ({
      owner: `team:${at}`,
      period: "day",
      amount: null,
      warn: nanoUsd(100),
    }));
  const checkAll = async (): Promise<void> => {
    for (let before = -1; reads.length > before;) {
      before = reads.length;
      await watch.check();
    }
  };
  return { watch, key: { ...key, budgets: [] }, reads, uses, users, budgets, checkAll };
}

test("a check reads a thousand accounts, and later ones the rest, of at most ten thousand", async () => {
  const { watch, key, reads, users, checkAll } = setupMany();
  watch.note({ ...key, accounts: users(10_001) });

  await watch.check();
  expect(reads).toHaveLength(1_000);
  await checkAll();

  expect(reads).toEqual(users(10_000));
});

test("at most ten thousand keys are followed between two checks", async () => {
  const { watch, key, reads } = setupMany();
  for (let at = 0; at < 10_000; at++) watch.note({ ...key, accounts: ["user:1"] });
  watch.note({ ...key, accounts: ["user:2"] });

  await watch.check();

  expect(reads).toEqual(["user:1"]);
});

test("ten thousand budgets can warn; one more ends the warning of the one that was not read longest", async () => {
  const { watch, key, budgets, checkAll } = setupMany();
  const all = budgets(10_001);
  const [first, second, third, ...rest] = all;
  if (first === undefined || second === undefined || third === undefined)
    throw new Error("Budgets were expected.");
  const warnings = (): number => watch.warningsOf({ ...key, budgets: all }, NOON).length;
  watch.note({ ...key, accounts: [], budgets: all.slice(0, 10_000) });
  await checkAll();
  for (const again of [second, first]) {
    watch.note({ ...key, accounts: [], budgets: [again] });
    await checkAll();
    expect(warnings()).toBe(10_000);
  }

  watch.note({ ...key, accounts: [], budgets: rest.slice(-1) });
  await checkAll();

  expect(warnings()).toBe(10_000);
  expect(watch.warningsOf({ ...key, budgets: [first, second, third] }, NOON)).toEqual([
    first,
    second,
  ]);
});

test("of more than ten thousand percentages, the one that was not read longest is reported again", async () => {
  const { watch, key, uses, users, checkAll } = setupMany();
  const reportsOf = async (accounts: readonly AccountId[]): Promise<number> => {
    const before = uses.length;
    watch.note({ ...key, accounts });
    await checkAll();
    return uses.length - before;
  };
  expect(await reportsOf(users(10_000))).toBe(10_000);
  expect(await reportsOf(["user:1"])).toBe(0);
  expect(await reportsOf(["user:0"])).toBe(0);

  expect(await reportsOf(["user:10000"])).toBe(1);

  expect(await reportsOf(["user:0", "user:1"])).toBe(0);
  expect(await reportsOf(["user:2"])).toBe(1);
});

function setup(
  terms: { readonly amount?: number; readonly warn?: number },
  first?: BudgetObserver["onBudgetUse"],
) {
  const budget: Budget = {
    owner: "team:3",
    period: "day",
    amount: terms.amount === undefined ? null : nanoUsd(terms.amount),
    ...(terms.warn === undefined ? {} : { warn: nanoUsd(terms.warn) }),
  };
  const key: ApiKey = {
    id: 1,
    userId: 7,
    name: "k",
    status: 1,
    models: ["*"],
    accounts: ["user:7"],
    budgets: [budget],
  };
  const nothing = nanoUsd(0);
  const accounts = new Map<AccountId, Account>([
    ["user:7", { id: "user:7", granted: null, spent: nothing, held: nothing }],
    [DAY, { id: DAY, granted: budget.amount, spent: nothing, held: nothing }],
  ]);
  const set = (id: AccountId, change: Partial<Account>): void => {
    const before = accounts.get(id);
    if (before !== undefined) accounts.set(id, { ...before, ...change });
  };
  let reads = 0;
  const errors: unknown[] = [];
  const uses: BudgetUse[] = [];
  const watch = new BudgetWatch({
    ledger: {
      async findAccounts(ids) {
        reads++;
        return new Map([...accounts].filter(([id]) => ids.includes(id)));
      },
    },
    clock: { now: () => NOON, monotonic: () => 0 },
    onError: (cause) => errors.push(cause),
  });
  if (first !== undefined) watch.add({ onBudgetUse: first });
  watch.add({ onBudgetUse: (use) => uses.push(use) });
  return {
    watch,
    key,
    uses,
    errors,
    reads: () => reads,
    spend: (id: AccountId, spent: number) => set(id, { spent: nanoUsd(spent) }),
    hold: (id: AccountId, held: number) => set(id, { held: nanoUsd(held) }),
    grant: (id: AccountId, granted: number) => set(id, { granted: nanoUsd(granted) }),
  };
}
