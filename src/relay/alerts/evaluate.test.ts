import { expect, test } from "bun:test";
import type { AlertKind, AlertRule, AlertTerms, FundsReader, GatewayFacts } from "#core/alert.ts";
import type { Channel } from "#core/channel.ts";
import { credential } from "#core/channel.ts";
import { ALL_CALLS, bucketOf, type ChannelSum } from "#core/channel-minute.ts";
import type { FaultCode } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import { aChannel } from "#test/a-channel.ts";
import type { ListedChannel } from "../routing/channel-registry.ts";
import { evaluateRules } from "./evaluate.ts";
import { viewOf } from "./view.ts";

const NOW = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const FACTS: GatewayFacts = {
  instance: "one",
  troubles: {},
  unpriced: [],
  isSimulated: false,
  jobs: [],
  certificates: [],
  secrets: {},
  guesses: [],
};
const NO_FUNDS: FundsReader = { budgets: async () => [], quotas: async () => [] };

function sum(attempts: number, failed: number, fault: FaultCode = "upstream_failed"): ChannelSum {
  return {
    attempts,
    failed,
    cost: nanoUsd(0),
    firstBytes: new Map(attempts > failed ? [[bucketOf(100), attempts - failed]] : []),
    faults: new Map(failed > 0 ? [[fault, failed]] : []),
  };
}

interface Given {
  readonly terms?: AlertTerms;
  readonly facts?: readonly Partial<GatewayFacts>[];
  readonly sums?: Readonly<Record<string, ChannelSum>>;
  /** The channels of each model. */
  readonly models?: Readonly<Record<string, readonly string[]>>;
  readonly priced?: readonly string[];
  readonly channels?: readonly ListedChannel[];
  readonly funds?: FundsReader;
}

function listed(channel: Partial<Channel>, more: Partial<ListedChannel> = {}): ListedChannel {
  return { source: "file", channel: aChannel(channel), ...more };
}

async function evaluate(kind: AlertKind, given: Given) {
  const { terms = {}, facts = [], sums = {}, models = {}, priced = [] } = given;
  const channels = given.channels ?? ["east", "west"].map((name) => listed({ name }));
  const table = new Map(
    Object.entries(models).map(([model, names]) => [
      model,
      names.map((name) => ({
        channel: aChannel({ name }),
        price: priced.includes(model) ? {} : undefined,
      })),
    ]),
  );
  const view = viewOf(
    {
      minutes: { sums: async () => new Map(Object.entries(sums)) },
      channels: () => channels,
      table: { models: table as never },
    },
    facts.map((each) => ({ ...FACTS, ...each })),
    NOW,
  );
  const rule: AlertRule = { id: 1, name: kind, kind, isEnabled: true, terms };
  const [evaluation] = await evaluateRules([rule], view, given.funds ?? NO_FUNDS);
  return {
    found: evaluation?.findings.map(({ subject, text }) => [subject, text]),
    seen: evaluation?.findings.map(({ seenAt }) => seenAt),
    levels: evaluation?.findings.map(({ level }) => level),
    isOver: (subject: string) => evaluation?.isOver(subject),
    quietMs: evaluation?.quietMs,
  };
}

const REFUSAL = {
  since: NOW - 60_000,
  code: "upstream_auth",
  credential: "...abcd",
  status: 401,
  reason: "Wrong key",
} as const;
const KEY_REFUSED = {
  refusals: [REFUSAL],
  lastFailure: REFUSAL,
  cooldownUntil: undefined,
  openUntil: undefined,
};

test("a refused channel is found by any gateway, and is over once it answers", async () => {
  const refused = await evaluate("channel_refused", {
    facts: [{}, { troubles: { east: KEY_REFUSED } }],
  });
  expect(refused.found).toEqual([
    [
      "east",
      "Channel east: refused since 2027-01-15T07:59:00Z (credential ...abcd): Wrong key (HTTP 401)",
    ],
  ]);
  expect(refused.isOver("east")).toBe(false);
  expect(refused.isOver("deleted")).toBe(true);

  const well = await evaluate("channel_refused", { sums: { east: sum(1, 0) } });
  expect(well.found).toEqual([]);
  expect(well.isOver("east")).toBe(true);
});

test("a channel fails from a share of enough attempts", async () => {
  const failing = async (attempts: number, failed: number, terms = {}) =>
    (await evaluate("channel_failing", { terms, sums: { east: sum(attempts, failed) } })).found;

  expect(await failing(4, 4)).toEqual([]);
  expect(await failing(10, 4)).toEqual([]);
  expect(await failing(10, 5)).toMatchObject([
    ["east", expect.stringMatching(/failing: 5 of 10 attempts failed/)],
  ]);
  expect(await failing(10, 1, { percent: 10 })).toEqual([
    ["east", "Channel east: failing: 1 of 10 attempts failed in 5 minutes."],
  ]);
});

test("a failing channel is found at its least number of attempts, with the state that it has", async () => {
  const failing = async (fault: FaultCode) =>
    (await evaluate("channel_failing", { sums: { east: sum(5, 5, fault) } })).found?.[0]?.[1];

  expect(await failing("upstream_failed")).toBe(
    "Channel east: failing: 5 of 5 attempts failed in 5 minutes.",
  );
  expect(await failing("upstream_unreachable")).toStartWith("Channel east: unreachable: 5 of 5");
  expect(await failing("upstream_timeout")).toStartWith("Channel east: slow, its answers come");
});

test("a refused channel does not also count as failing", async () => {
  const sums = { east: sum(10, 10, "upstream_auth") };
  expect((await evaluate("channel_failing", { sums })).found).toEqual([]);
  expect((await evaluate("channel_refused", { sums })).found).toHaveLength(1);
});

test("a channel is slow by half of its answers", async () => {
  const slow = { ...sum(10, 0), firstBytes: new Map([[bucketOf(12_000), 10]]) };
  const { found } = await evaluate("channel_slow", { sums: { east: slow, west: sum(10, 0) } });
  expect(found).toEqual([
    ["east", expect.stringMatching(/half of the answers begin after 1\d\.\d s/)],
  ]);
});

test("a channel is slow from the time and the attempts of its rule", async () => {
  const slow = (attempts: number): ChannelSum => ({
    ...sum(attempts, 0),
    firstBytes: new Map([[bucketOf(16_384), attempts]]),
  });
  const found = async (east: ChannelSum, seconds: number) =>
    (await evaluate("channel_slow", { sums: { east }, terms: { seconds } })).found?.length;

  expect(await found(slow(5), 16.384)).toBe(1);
  expect(await found(slow(5), 16.385)).toBe(0);
  expect(await found(slow(4), 16.384)).toBe(0);
  expect(await found(sum(5, 5), 16.384)).toBe(0);
});

test("a model is down if its channels cannot serve, and an unknown subject is over", async () => {
  const models = { a: ["east"] };
  const broken = [listed({ name: "east" }, { issue: "credential_missing" })];

  const down = await evaluate("model_down", {
    models,
    channels: broken,
    sums: { east: sum(2, 1) },
  });

  expect(down.found).toEqual([
    ["east", "No channel answers for a: east is not serving: credential_missing"],
  ]);
  expect(down.isOver("gone")).toBe(true);
  expect(down.isOver("east")).toBe(true);
});

test("a model is down if the vendor refuses all credentials of its channel", async () => {
  const credentials = ["sk-one", "sk-two"].map(credential);
  const found = async (refusals: number) => {
    const east = { ...KEY_REFUSED, refusals: Array.from({ length: refusals }, () => REFUSAL) };
    const channels = [listed({ name: "east", credentials })];
    const facts = [{ troubles: { east } }];
    return (await evaluate("model_down", { models: { a: ["east"] }, channels, facts })).found
      ?.length;
  };

  expect([await found(0), await found(1), await found(2)]).toEqual([0, 0, 1]);
});

test("many models and long names of channels are shortened", async () => {
  const subjectAndText = async (length: number, count: number) => {
    const name = "e".repeat(length);
    const models = Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, [name]]));
    const channels = [listed({ name })];
    const { found } = await evaluate("model_down", {
      models,
      channels,
      sums: { [name]: sum(1, 1) },
    });
    const [subject, text] = found?.[0] ?? [];
    return [subject?.length, text?.split(":")[0]];
  };

  expect(await subjectAndText(200, 5)).toEqual([200, "No channel answers for m0, m1, m2, m3, m4"]);
  expect(await subjectAndText(201, 7)).toEqual([
    64,
    "No channel answers for m0, m1, m2, m3, m4 and 2 other models",
  ]);
});

test("a model is down if none of its channels answers, and models with the same channels share an alert", async () => {
  const models = { a: ["east"], b: ["east"], both: ["east", "west"], fine: ["west"] };
  const down = await evaluate("model_down", { models, sums: { east: sum(2, 2), west: sum(3, 1) } });
  expect(down.found).toEqual([
    ["east", expect.stringMatching(/^No channel answers for a, b: east is failing/)],
  ]);

  const all = await evaluate("model_down", { models, sums: { east: sum(2, 2), west: sum(1, 1) } });
  expect(all.found?.map(([subject]) => subject)).toEqual(["east", "east,west", "west"]);
  expect(all.isOver("east,west")).toBe(false);
  expect(down.isOver("east,west")).toBe(true);
});

test("a model is not down because no call came", async () => {
  expect((await evaluate("model_down", { models: { a: ["east"] } })).found).toEqual([]);
  const open = { ...KEY_REFUSED, refusals: [], openUntil: NOW + 1_000 };
  const facts = [{ troubles: { east: open } }];
  expect((await evaluate("model_down", { models: { a: ["east"] }, facts })).found).toHaveLength(1);
});

test("the error rate counts calls, not attempts", async () => {
  const sums = { [ALL_CALLS]: sum(100, 12), east: sum(500, 400) };
  expect((await evaluate("error_rate", { sums })).found).toEqual([
    [
      "gateway",
      "12 % of the calls failed: 12 of 100 in 5 minutes, most of them with upstream_failed.",
    ],
  ]);
  expect((await evaluate("error_rate", { sums: { [ALL_CALLS]: sum(19, 19) } })).found).toEqual([]);
  expect((await evaluate("error_rate", { sums: { [ALL_CALLS]: sum(100, 9) } })).found).toEqual([]);
});

test("the error rate begins at its share and its number of calls, and names the most frequent fault", async () => {
  const found = async (all: ChannelSum) =>
    (await evaluate("error_rate", { sums: { [ALL_CALLS]: all } })).found?.map(([, text]) => text);
  const faults = new Map<FaultCode, number>([
    ["upstream_timeout", 1],
    ["upstream_failed", 3],
    ["internal", 2],
  ]);

  expect(await found(sum(20, 2))).toHaveLength(1);
  expect(await found({ ...sum(20, 6), faults })).toEqual([
    "30 % of the calls failed: 6 of 20 in 5 minutes, most of them with upstream_failed.",
  ]);
  expect(await found({ ...sum(20, 20), faults: new Map() })).toEqual([
    "100 % of the calls failed: 20 of 20 in 5 minutes.",
  ]);
});

test("quotas are asked for from the lowest level of the rule, and are not over before they fall", async () => {
  const asked: number[] = [];
  const quotas: FundsReader["quotas"] = async (share) => {
    asked.push(share);
    return [{ account: "user:1", owner: "user ann", period: "quota", spent: 0, limit: 0 }];
  };

  const { found, levels, isOver } = await evaluate("quota", { funds: { ...NO_FUNDS, quotas } });

  expect(asked).toEqual([0.9]);
  expect(found).toEqual([["user:1", "The quota of user ann is used to 100 %: $0 of $0."]]);
  expect([levels, isOver("user:1")]).toEqual([[100], false]);
});

test("a budget has the highest level that it reached", async () => {
  const used = { account: "team:3@2027-01", owner: "team research", period: "month" } as const;
  const asked: number[] = [];
  const funds = (spent: number): FundsReader => ({
    ...NO_FUNDS,
    budgets: async (share) => {
      asked.push(share);
      return [{ ...used, spent: spent * 1e9, limit: 500e9 }];
    },
  });
  const at = async (spent: number) => await evaluate("budget", { funds: funds(spent) });

  expect((await at(249)).found).toEqual([]);
  expect((await at(250)).levels).toEqual([50]);
  expect((await at(499)).levels).toEqual([80]);
  const full = await at(500);
  expect(full.levels).toEqual([100]);
  expect(full.found).toEqual([
    ["team:3@2027-01", "The monthly budget of team research is used to 100 %: $500 of $500."],
  ]);
  expect(new Set(asked)).toEqual(new Set([0.5]));
});

test("a model without a price is told while it is used, until it has a price", async () => {
  const facts = [{ unpriced: [{ model: "new", at: NOW - 60_000 }] }];
  const { found, quietMs } = await evaluate("unpriced_model", { facts, models: { new: ["east"] } });
  expect(found).toEqual([["new", "The model new has no price: its calls cost nothing."]]);
  expect(quietMs).toBe(DAY_MS);

  const priced = await evaluate("unpriced_model", {
    facts,
    models: { new: ["east"] },
    priced: ["new"],
  });
  expect(priced.found).toEqual([]);
  expect(priced.isOver("new")).toBe(true);
});

test("a model without a price was last used at the latest time of any gateway", async () => {
  const [earlier, later] = [NOW - 120_000, NOW - DAY_MS];
  const facts = [earlier, later].map((at) => ({ unpriced: [{ model: "new", at }] }));
  const old = [{ unpriced: [{ model: "new", at: NOW - DAY_MS - 1 }] }];

  expect((await evaluate("unpriced_model", { facts })).seen).toEqual([earlier]);
  expect((await evaluate("unpriced_model", { facts: facts.slice(1) })).seen).toEqual([later]);
  expect((await evaluate("unpriced_model", { facts: old })).seen).toEqual([]);
});

test("a job fails since the begin of its longest series on any gateway", async () => {
  const job = (failures: number, since: number) => ({ jobs: [{ name: "prune", failures, since }] });
  const text = async (...facts: readonly Partial<GatewayFacts>[]) =>
    (await evaluate("job_failing", { facts })).found?.[0]?.[1];
  const long = "The job prune has failed since 2027-01-15T07:59:00Z. The log has the reason.";

  expect(await text(job(4, NOW - 60_000), job(3, NOW))).toBe(long);
  expect(await text(job(3, NOW), job(4, NOW - 60_000))).toBe(long);
  expect(await text(job(4, NOW - 60_000), job(4, NOW))).toBe(long);
});

test("Redis is away since the first gateway lost it, and is no subject while it answers", async () => {
  const facts = [{ redisDownSince: NOW - 60_000 }, { redisDownSince: NOW - 120_000 }, {}];

  expect((await evaluate("redis_down", { facts })).found?.[0]?.[1]).toStartWith(
    "Valkey or Redis has not answered since 2027-01-15T07:58:00Z, to 2 of 3 gateways",
  );
  expect((await evaluate("redis_down", { facts: [{}] })).found).toEqual([]);
});

test("a certificate is told from its number of days, and is worse once it ended", async () => {
  const certificates = [
    { host: "later.example", endsAt: NOW + 14 * DAY_MS + 1 },
    { host: "soon.example", endsAt: NOW + 14 * DAY_MS },
    { host: "now.example", endsAt: NOW },
  ];

  const { found, levels } = await evaluate("certificate", { facts: [{ certificates }] });

  expect(found?.map(([subject]) => subject)).toEqual(["soon.example", "now.example"]);
  expect(found?.[1]?.[1]).toStartWith("The TLS certificate of now.example ended at");
  expect(levels).toEqual([1, 2]);
});

test("failed logins count together for a quarter of an hour, until enough of them failed", async () => {
  const facts = [
    { guesses: [{ address: "one", failures: 15, at: NOW }] },
    { guesses: [{ address: "one", failures: 5, at: NOW - 60_000 }] },
    { guesses: [{ address: "two", failures: 19, at: NOW }] },
  ];

  const { found, seen, quietMs } = await evaluate("login_guesses", { facts });

  expect(found?.map(([subject]) => subject)).toEqual(["one"]);
  expect([seen, quietMs]).toEqual([[NOW], 900_000]);
});

test("the facts of each gateway are found: simulation, jobs, Redis, certificates, secrets and guesses", async () => {
  const facts: readonly Partial<GatewayFacts>[] = [
    {
      isSimulated: true,
      jobs: [
        { name: "prune", failures: 3, since: NOW - 60_000 },
        { name: "once", failures: 2, since: NOW },
      ],
      redisDownSince: NOW - 120_000,
      certificates: [
        { host: "soon.example", endsAt: NOW + 13 * DAY_MS },
        { host: "later.example", endsAt: NOW + 15 * DAY_MS },
        { host: "ended.example", endsAt: NOW - 1 },
      ],
      secrets: { metrics: "Everyone can read it." },
      guesses: [{ address: "203.0.113.7", failures: 12, at: NOW }],
    },
    { guesses: [{ address: "203.0.113.7", failures: 8, at: NOW }] },
  ];
  const texts = async (kind: AlertKind) =>
    (await evaluate(kind, { facts })).found?.map(([, text]) => text);

  expect(await texts("simulated")).toEqual([
    "Answers are simulated, because no channel is configured.",
  ]);
  expect(await texts("job_failing")).toEqual([
    "The job prune has failed since 2027-01-15T07:59:00Z. The log has the reason.",
  ]);
  expect(await texts("redis_down")).toEqual([
    "Valkey or Redis has not answered since 2027-01-15T07:58:00Z, to 1 of 2 gateways: each counts limits by itself.",
  ]);
  expect(await texts("certificate")).toEqual([
    "The TLS certificate of soon.example ends at 2027-01-28T08:00:00Z.",
    "The TLS certificate of ended.example ended at 2027-01-15T07:59:59Z.",
  ]);
  expect(await texts("secret")).toEqual(["Everyone can read it."]);
  expect(await texts("login_guesses")).toEqual([
    "20 logins from 203.0.113.7 failed. Somebody may be guessing passwords.",
  ]);
});

test("a disabled rule is not evaluated", async () => {
  const rule: AlertRule = { id: 1, name: "x", kind: "secret", isEnabled: false, terms: {} };
  const view = viewOf(
    {
      minutes: { sums: async () => new Map() },
      channels: () => [],
      table: { models: new Map() },
    },
    [{ ...FACTS, secrets: { metrics: "Everyone can read it." } }],
    NOW,
  );
  expect(await evaluateRules([rule], view, NO_FUNDS)).toEqual([]);
});
