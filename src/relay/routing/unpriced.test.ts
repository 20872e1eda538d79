import { expect, test } from "bun:test";
import type { Served } from "../call.ts";
import type { Candidate, Plan, Router } from "./route.ts";
import {
  isBounded,
  needsPricing,
  pricedFor,
  UnpricedReport,
  type UnpricedNotice,
} from "./unpriced.ts";

const HOUR_MS = 3_600_000;

function open(): {
  readonly told: UnpricedNotice[];
  note(model: string, atMs: number, more?: Partial<UnpricedNotice>): void;
} {
  const told: UnpricedNotice[] = [];
  let nowMs = 0;
  const report = new UnpricedReport({ monotonic: () => nowMs }, (notice) => told.push(notice));
  return {
    told,
    note(model, atMs, more) {
      nowMs = atMs;
      report.note({ model, channel: "one", provider: "openai", isRefused: false, ...more });
    },
  };
}

test("a model is reported again after an hour, and not before", () => {
  const { told, note } = open();

  for (const atMs of [0, 1, HOUR_MS - 1]) note("m", atMs);
  expect(told).toHaveLength(1);

  note("m", HOUR_MS);
  expect(told).toHaveLength(2);

  note("m", 2 * HOUR_MS - 1);
  expect(told).toHaveLength(2);
});

test("each model has its own hour, on any channel and with any result of the call", () => {
  const { told, note } = open();

  note("a", 0);
  note("b", 1);
  note("a", 2, { channel: "two", isRefused: true });
  note("a", HOUR_MS);
  note("b", HOUR_MS);

  expect(told.map(({ model }) => model)).toEqual(["a", "b", "a"]);
});

test("above a thousand models, the first reported are dropped", () => {
  const { told, note } = open();
  for (let count = 0; count <= 1_000; count++) note(`m${count}`, count);
  expect(told).toHaveLength(1_001);

  note("m1000", 1_001);
  note("m1", 1_001);
  expect(told).toHaveLength(1_001);

  note("m0", 1_001);
  expect(told).toHaveLength(1_002);
});

const PRICED = { price: {}, provider: { id: "a" }, channel: { name: "priced" } } as Candidate;
const UNPRICED = { provider: { id: "b" }, channel: { name: "unpriced" } } as Candidate;

function planOf(...routes: readonly Candidate[]): Plan<Candidate> {
  return { routes } as Plan<Candidate>;
}

/** The names of the channels that serve a call of a key with these accounts. */
async function channelsOf(
  plan: Plan<Candidate>,
  granted: Readonly<Record<string, number | null>> = {},
  { budgets, asksForBounds = true }: { budgets?: readonly unknown[]; asksForBounds?: boolean } = {},
): Promise<readonly string[]> {
  const key = { accounts: Object.keys(granted), ...(budgets && { budgets }) };
  const call = { key, facts: { model: "m" } } as unknown as Served;
  const router = { asksForBounds } as Router;
  const ledger = {
    findAccount: (id: string) =>
      id === "unknown" ? undefined : ({ granted: granted[id] } as never),
  };
  const { routes } = await pricedFor(call, plan, { router, ledger } as never);
  return routes.map(({ channel }) => channel.name);
}

test("without a quota or budget, channels without a price serve", async () => {
  const plan = planOf(UNPRICED, PRICED);

  expect(await channelsOf(plan)).toEqual(["unpriced", "priced"]);
  expect(await channelsOf(plan, { "user:1": null, unknown: 5 })).toEqual(["unpriced", "priced"]);
});

test("with a quota or budget, only channels with a price serve", async () => {
  const plan = planOf(UNPRICED, PRICED);

  expect(await channelsOf(plan, { "key:1": null, "user:1": 0 })).toEqual(["priced"]);
  expect(await channelsOf(plan, {}, { budgets: [{}] })).toEqual(["priced"]);
  expect(await channelsOf(planOf(PRICED), { "user:1": 0 })).toEqual(["priced"]);
});

test("with a quota, a model that has no price on any channel is refused", async () => {
  const refused = await channelsOf(planOf(UNPRICED), { "user:1": 0 }).catch(String);

  expect(refused).toContain("has no price, and a quota or budget binds this call");
});

test("a setting that decides for all calls leaves the channels as they are", async () => {
  const plan = planOf(UNPRICED);

  expect(await channelsOf(plan, { "user:1": 0 }, { asksForBounds: false })).toEqual(["unpriced"]);
  expect(needsPricing(plan, { router: { asksForBounds: false } as Router })).toBe(false);
  expect(needsPricing(plan, { router: { asksForBounds: true } as Router })).toBe(true);
  expect(needsPricing(planOf(PRICED), { router: { asksForBounds: true } as Router })).toBe(false);
});

test("an empty list of budgets binds nothing", async () => {
  const key = { accounts: [], budgets: [] } as never;

  expect(await isBounded(key, { findAccount: async () => undefined } as never)).toBe(false);
});
