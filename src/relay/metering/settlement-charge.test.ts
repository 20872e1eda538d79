import { describe, expect, test } from "bun:test";
import type { AttemptRecord, CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { HoldContext, Ledger } from "#core/ledger.ts";
import type { RateReservation } from "#core/limits.ts";
import type { ModelTraits } from "#core/model.ts";
import { nanoUsd, type Price } from "#core/money.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { findProvider } from "#providers/index.ts";
import type { Served } from "../call.ts";
import type { Candidate } from "../routing/route.ts";
import type { UnpricedNotice } from "../routing/unpriced.ts";
import { aChannel } from "#test/a-channel.ts";
import { endable, OpenCalls } from "./open-calls.ts";
import { Settlement, type Metered } from "./settlement.ts";

/** A microdollar for each token of an answer. */
const BY_TOKEN: Price = { input: 0, output: 1_000_000_000, source: "test", date: "2026-01-01" };
const A_SEARCH = 10_000_000_000;
/** Thursday, 2026-01-01, 00:00 UTC. */
const NEW_YEAR = Date.UTC(2026, 0, 1);

interface Staged {
  readonly served?: Partial<Served>;
  readonly held?: number;
  /** What the caller has beyond the hold. */
  readonly available?: number;
}

/** A call whose ledger and limits the test holds, with all that was done to them. */
async function stage({ served = {}, held = 9_000, available = 0 }: Staged = {}) {
  const asked: number[] = [];
  const contexts: (HoldContext | undefined)[] = [];
  const records: CallRecord[] = [];
  const notices: UnpricedNotice[] = [];
  const limits: string[] = [];
  const clock = { now: () => 0, monotonic: () => 100 };
  const ledger: Ledger = {
    async hold({ context }) {
      contexts.push(context);
      return { durable: Promise.resolve() };
    },
    async extend(_, amount) {
      asked.push(amount);
      return amount <= available;
    },
    checkpoint() {},
    settle: async () => true,
    void: async () => true,
    grant: async () => {},
    findAccount: async () => undefined,
    findAccounts: async () => new Map(),
    listAbandoned: async () => [],
  };
  const call: Served = {
    id: "call-1",
    key: { id: 1, userId: 2, name: "k", status: 1, models: ["*"], accounts: ["user:2"] },
    style: { id: "chat" },
    facts: { model: "m", stream: true, maxOutputTokens: 0, choices: 1 },
    inputTokens: 7,
    signal: new AbortController().signal,
    at: NEW_YEAR,
    startedAt: 100,
    count: async (text, _, counted) => tokens(counted + text.length),
    ...served,
  };
  const deps = {
    ledger,
    limiter: {
      take: () => ({ statuses: [] }),
      correct: ({ id }: RateReservation, used: number) => void limits.push(`${id} used ${used}`),
      release: ({ id }: RateReservation) => void limits.push(`${id} released`),
      peek: () => ({ statuses: [] }),
    },
    clock,
    delivery: { deadlines: new Deadlines(clock) },
    open: new OpenCalls(),
    maxOpen: 10,
    onClosed: (record: CallRecord) => void records.push(record),
    onUnpriced: (notice: UnpricedNotice) => void notices.push(notice),
    onError() {},
  };
  const settlement = await Settlement.open(endable(call), { estimate: nanoUsd(held) }, deps);
  return { settlement, asked, contexts, records, notices, limits };
}

function tokens(outputTokens: number): Usage {
  return { ...NO_USAGE, outputTokens };
}

function routeWith(price: Price | undefined, more: Partial<Candidate> = {}): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  const channel = aChannel({ name: "a" });
  return { channel, provider, upstreamModel: "m", price, traits: {}, suffixes: [], ...more };
}

/** The route, as one whose upstream speaks `style`. */
function speaking(style: string, route: Candidate): Candidate & { endpoint: object } {
  return { ...route, endpoint: { style: { id: style } } };
}

function reported(usage: Usage): Metered {
  return { usage, takeOutputText: () => "" };
}

/** The record of a call whose upstream reported this usage. */
async function chargedFor(
  usage: Usage,
  route: Candidate,
  served: Partial<Served> = {},
): Promise<CallRecord | undefined> {
  const { settlement, records } = await stage({ served });
  settlement.beginMetering(route, reported(usage), { lost: [] });
  await settlement.complete();
  return records[0];
}

describe("the charge for searches", () => {
  const bySearch: Price = { ...BY_TOKEN, search: A_SEARCH };
  const costs = async (price: Price): Promise<readonly (number | undefined)[]> => {
    const charged = [0, 1, 3].map((searches) =>
      chargedFor({ ...NO_USAGE, searches }, routeWith(price)),
    );
    return (await Promise.all(charged)).map((record) => record && Number(record.cost));
  };

  test("counts each of them", async () => {
    expect(await costs(bySearch)).toEqual([0, 10_000_000, 30_000_000]);
  });

  test("counts a call that searched once if the model's price says so", async () => {
    expect(await costs({ ...bySearch, searchOncePerCall: true })).toEqual([
      0, 10_000_000, 10_000_000,
    ]);
  });
});

describe("a response by another model than the called one", () => {
  const OTHER: Price = { ...BY_TOKEN, output: 3_000_000_000 };
  const usage = { ...tokens(2), servedBy: "other" };
  const priceOf = (model: string) => (model === "other" ? OTHER : undefined);

  test("has the price of that model", async () => {
    expect(await chargedFor(usage, routeWith(BY_TOKEN, { priceOf }))).toMatchObject({
      cost: 6_000_000,
      usage: { servedBy: "other" },
    });
  });

  test("has the operator's price if the operator set one for the called name", async () => {
    const route = routeWith(BY_TOKEN, { priceOf, hasOwnPrice: true });

    const record = await chargedFor(usage, route);
    expect(record).toMatchObject({ cost: 2_000_000 });
    expect(record?.usage).not.toHaveProperty("servedBy");
  });

  test("has the called model's price if the other's is unknown", async () => {
    const record = await chargedFor(usage, routeWith(BY_TOKEN, { priceOf: () => undefined }));

    expect(record).toMatchObject({ cost: 2_000_000 });
  });

  test("has that model's price at the hour at which the call began", async () => {
    const atNight = { when: { hours: ["00:00-06:00"] }, factor: 500 };
    const byHour: Price = { ...OTHER, variants: [atNight] };
    const route = routeWith(BY_TOKEN, { priceOf: () => byHour });

    expect(await chargedFor(usage, route, { at: NEW_YEAR })).toMatchObject({ cost: 3_000_000 });
    expect(await chargedFor(usage, route, { at: NEW_YEAR + 12 * 3_600_000 })).toMatchObject({
      cost: 6_000_000,
    });
  });
});

describe("a price that depends on how a call is served", () => {
  const VARIED: Price = {
    ...BY_TOKEN,
    variants: [
      { when: { serviceTiers: ["flex"] }, factor: 500 },
      { when: { speeds: ["fast"] }, factor: 2_000 },
      { when: { regions: ["eu"] }, factor: 1_100 },
    ],
  };
  const costOf = async (
    asked: Served["facts"]["asked"],
    route: Candidate = speaking("chat", routeWith(VARIED)),
    usage: Usage = tokens(10),
  ): Promise<number | undefined> => {
    const facts = { model: "m", stream: true, maxOutputTokens: 0, choices: 1 };
    const record = await chargedFor(usage, route, { facts: { ...facts, ...(asked && { asked }) } });
    return record && Number(record.cost);
  };

  test("is that of the requested tier if the upstream does not report one", async () => {
    expect(await costOf(undefined)).toBe(10_000_000);
    expect(await costOf({ serviceTier: "flex" })).toBe(5_000_000);
    expect(await costOf({ speed: "fast" })).toBe(20_000_000);
    expect(await costOf({ region: "eu" })).toBe(11_000_000);
  });

  test("is the usual one if the upstream may choose the tier and reports none", async () => {
    const withAuto: Price = {
      ...BY_TOKEN,
      variants: [{ when: { serviceTiers: ["auto"] }, factor: 9_000 }],
    };

    expect(await costOf({ serviceTier: "auto" })).toBe(10_000_000);
    expect(await costOf({ serviceTier: "auto" }, speaking("chat", routeWith(withAuto)))).toBe(
      10_000_000,
    );
  });

  test("follows the upstream's report, even if another tier was requested", async () => {
    const usage = { ...tokens(10), served: { serviceTier: "standard" } };

    expect(await costOf({ serviceTier: "flex" }, undefined, usage)).toBe(10_000_000);
  });

  test("ignores the tier of a translated request, since it was not sent", async () => {
    const translated = speaking("messages", routeWith(VARIED));

    expect(await costOf({ serviceTier: "flex" }, translated)).toBe(10_000_000);
    expect(await costOf({ serviceTier: "flex" }, routeWith(VARIED))).toBe(10_000_000);
  });

  test("follows the region of the channel, unless the client requested another", async () => {
    const inEurope = speaking("chat", routeWith(VARIED, { region: "eu" }));

    expect(await costOf(undefined, inEurope)).toBe(11_000_000);
    expect(await costOf({ region: "us" }, inEurope)).toBe(10_000_000);
  });

  test("is not mentioned in the record of a call whose price does not depend on it", async () => {
    const facts = { model: "m", stream: true, maxOutputTokens: 0, choices: 1 };
    const asked = { serviceTier: "flex" };
    const route = speaking("chat", routeWith(BY_TOKEN));

    const record = await chargedFor(tokens(10), route, { facts: { ...facts, asked } });
    expect(record?.usage).toEqual(tokens(10));
  });
});

describe("a service tier without a published price", () => {
  const TIERED: Price = {
    ...BY_TOKEN,
    variants: [{ when: { serviceTiers: ["flex"] }, factor: 500 }],
  };
  const noticesFor = async (serviceTier: string | undefined, price: Price | undefined) => {
    const facts = { model: "m", stream: true, maxOutputTokens: 0, choices: 1 };
    const asked = serviceTier === undefined ? {} : { asked: { serviceTier } };
    const said: string[] = [];
    const onUnpriced = (what: string): void => void said.push(what);
    const { settlement, notices } = await stage({
      served: { facts: { ...facts, ...asked }, onUnpriced },
    });
    const route = speaking("chat", routeWith(price));
    settlement.beginMetering(route, reported(NO_USAGE), { lost: [] });
    return { said, notices };
  };

  test("is reported to the client and the operator", async () => {
    expect(await noticesFor("priority", TIERED)).toEqual({
      said: ["service_tier"],
      notices: [
        {
          model: "m",
          channel: "a",
          provider: "openai",
          isRefused: false,
          serviceTier: "priority",
        },
      ],
    });
  });

  test("is not reported if the tier has a price, or none was requested", async () => {
    expect(await noticesFor("flex", TIERED)).toEqual({ said: [], notices: [] });
    expect(await noticesFor(undefined, TIERED)).toEqual({ said: [], notices: [] });
    expect(await noticesFor("priority", BY_TOKEN)).toEqual({ said: [], notices: [] });
  });

  test("is not reported for a model without any price", async () => {
    expect(await noticesFor("priority", undefined)).toEqual({
      said: ["model"],
      notices: [{ model: "m", channel: "a", provider: "openai", isRefused: false }],
    });
  });
});

describe("a complete response that costs more than was reserved", () => {
  const covers = async (usage: Usage, available: number, route = routeWith(BY_TOKEN)) => {
    const { settlement, asked } = await stage({ held: 5_000_000, available });
    return { isCovered: await settlement.covers(route, usage), asked };
  };

  test("is covered without a further reservation if the existing one suffices", async () => {
    expect(await covers(tokens(5), 0)).toEqual({ isCovered: true, asked: [] });
    expect(await covers(tokens(4), 0)).toEqual({ isCovered: true, asked: [] });
  });

  test("is covered if the client can pay the missing part, which is then reserved", async () => {
    expect(await covers(tokens(6), 1_000_000)).toEqual({ isCovered: true, asked: [1_000_000] });
    expect(await covers(tokens(6), 999_999)).toEqual({ isCovered: false, asked: [1_000_000] });
  });

  test("is covered if its model has no price", async () => {
    expect(await covers(tokens(6), 0, routeWith(undefined))).toEqual({
      isCovered: true,
      asked: [],
    });
  });
});

describe("a checkpoint", () => {
  /** A stream that has delivered `text`, and of which more is delivered later. */
  const streamOf = (text: string) => ({
    usage: undefined,
    text,
    takeOutputText() {
      const { text: taken } = this;
      this.text = "";
      return taken;
    },
  });

  test("does not wait for the count of an answer whose estimate is within the reservation", async () => {
    const { settlement, asked } = await stage({
      held: 1_000_000,
      served: { count: () => new Promise(() => {}) },
    });
    // Three characters are estimated as one token, a microdollar.
    settlement.beginMetering(routeWith(BY_TOKEN), streamOf("abc"), { lost: [] });

    expect(await settlement.checkpoint()).toBe(true);
    expect(asked).toEqual([]);
  });

  test("reserves nothing more for a response that costs exactly the reservation", async () => {
    const { settlement, asked } = await stage({
      held: 1_000_000,
      available: Infinity,
      served: { count: async () => tokens(1) },
    });
    settlement.beginMetering(routeWith(BY_TOKEN), streamOf("x".repeat(60)), { lost: [] });

    expect(await settlement.checkpoint()).toBe(true);
    expect(asked).toEqual([]);
  });

  test("rounds up the half that it reserves in addition", async () => {
    const { settlement, asked } = await stage({ held: 3_000_001, available: Infinity });
    settlement.beginMetering(routeWith(BY_TOKEN), reported(tokens(4)), { lost: [] });

    expect(await settlement.checkpoint()).toBe(true);
    expect(asked).toEqual([1_500_001]);
  });

  test("also estimates text that arrived while an earlier checkpoint is still counted", async () => {
    const counted = Promise.withResolvers<Usage>();
    const { settlement } = await stage({
      held: 2_000_000,
      served: { count: () => counted.promise },
    });
    const stream = streamOf("abc");
    settlement.beginMetering(routeWith(BY_TOKEN), stream, { lost: [] });
    expect(await settlement.checkpoint()).toBe(true);

    stream.text = "x".repeat(60);
    let goesOn: boolean | undefined;
    const second = settlement.checkpoint().then((is) => (goesOn = is));
    await Bun.sleep(1);
    expect(goesOn).toBeUndefined();

    counted.resolve(tokens(20));
    await second;
    expect(goesOn).toBe(false);
  });
});

test("output is counted by the tokenizer of the model that answered", async () => {
  const seen: ModelTraits[] = [];
  const count = async (_: string, traits: ModelTraits): Promise<Usage> => {
    seen.push(traits);
    return NO_USAGE;
  };
  const { settlement } = await stage({ served: { count } });
  const traits: ModelTraits = { maxOutputTokens: 77 };
  const metered = { usage: undefined, takeOutputText: () => "" };
  settlement.beginMetering(routeWith(BY_TOKEN, { traits }), metered, { lost: [] });
  await settlement.checkpoint();
  await Bun.sleep(1);
  await settlement.complete();

  expect(seen).toEqual([traits, traits]);
});

test("text is collected only from a running response", async () => {
  let taken = 0;
  const metered: Metered = {
    usage: undefined,
    takeOutputText() {
      taken++;
      return "";
    },
  };
  const { settlement } = await stage();

  settlement.collect();
  settlement.beginMetering(routeWith(BY_TOKEN), metered, { lost: [] });
  settlement.collect();
  expect(taken).toBe(1);

  await settlement.complete();
  const takenAtEnd = taken;
  settlement.collect();
  expect(taken).toBe(takenAtEnd);
});

test("a call's tags are stored with its reservation", async () => {
  const tags = { session: "s" };
  const tagged = await stage({ served: { tags } });
  const plain = await stage();

  expect(tagged.contexts).toMatchObject([{ tags }]);
  expect(plain.contexts[0]).not.toHaveProperty("tags");
});

describe("an attempt that started to respond", () => {
  const TRIED: AttemptRecord = {
    channel: "a",
    credential: "",
    fault: null,
    status: 200,
    durationMs: 1,
  };
  const attemptsWith = async (amend: (settlement: Settlement) => void) => {
    const { settlement, records } = await stage();
    amend(settlement);
    await settlement.cancel();
    return records[0]?.attempts;
  };

  test("is recorded as failed if it failed before any content, with its duration", async () => {
    const attempts = await attemptsWith((settlement) => {
      settlement.recordAttempt({ ...TRIED, channel: "first" });
      settlement.recordAttempt(TRIED);
      settlement.amendAttempt(new GatewayError("upstream_failed", "It broke."), 250);
    });

    expect(attempts).toEqual([
      { ...TRIED, channel: "first" },
      { ...TRIED, fault: "upstream_failed", durationMs: 250 },
    ]);
  });

  test("is recorded with the vendor's code, if there is one", async () => {
    const vendor = { status: 500, code: "server_error" };
    const attempts = await attemptsWith((settlement) => {
      settlement.recordAttempt(TRIED);
      settlement.amendAttempt(new GatewayError("upstream_failed", "It broke.", { vendor }), 250);
    });

    expect(attempts).toMatchObject([{ fault: "upstream_failed", code: "server_error" }]);
  });

  test("is not added if none was recorded", async () => {
    const attempts = await attemptsWith((settlement) =>
      settlement.amendAttempt(new GatewayError("upstream_failed", "It broke."), 250),
    );

    expect(attempts).toEqual([]);
  });
});

test("the limits of a failed channel are released if another is tried", async () => {
  const { settlement, limits } = await stage();
  settlement.attachChannelReservation({ id: "first", bounds: [] });
  expect(limits).toEqual([]);

  settlement.attachChannelReservation({ id: "second", bounds: [] });
  expect(limits).toEqual(["first used 0", "first released"]);

  settlement.transfer();
  expect(limits.slice(2)).toEqual(["second used 0", "second released"]);
});
