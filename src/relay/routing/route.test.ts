import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import { FREE, nanoUsd, type Price } from "#core/money.ts";
import { NO_USAGE, type Units } from "#core/usage.ts";
import type { ApiKey } from "#core/key.ts";
import type { Catalog, Model, ModelOverride } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { systemClock } from "#lib/clock.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";
import { messages } from "#styles/text/messages/index.ts";
import { chat } from "#styles/text/chat/index.ts";
import { Channels } from "./channels.ts";
import { Health } from "../failover/health.ts";
import {
  allResting,
  isUnpriced,
  priceOn,
  routeFor,
  Router,
  UnpricedModel,
  type Candidate,
  type RouterSettings,
} from "./route.ts";

function channel(name: string, more: Partial<Channel> = {}): Channel {
  return {
    name,
    provider: "openai-compatible",
    baseUrl: "http://127.0.0.1:1/v1",
    credentials: [credential("sk-secret")],
    models: { kind: "listed", upstreamNames: new Map([["m", "upstream-m"]]) },
    priority: 0,
    weight: 1,
    maxConcurrent: 100,
    isSimulated: false,
    ...more,
  };
}

const INPUT_TOKENS = 10;
const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] };
const PRICE = { input: 1_000_000, output: 2_000_000, source: "test", date: "2026-01-01" };
const PRICED = new Map<string, ModelOverride>([["m", { price: PRICE, maxOutputTokens: 1_000 }]]);

function setup(
  list: readonly Channel[],
  overrides = PRICED,
  settings: RouterSettings = { unpriced: "allow", assumedOutputTokens: 500 },
) {
  const health = new Health(systemClock);
  const channels = new Channels(catalogOf(undefined), overrides);
  channels.replace(list);
  const router = new Router(channels, health, settings);
  const plan = (more: JsonObject = {}, key = KEY, units: Units = {}) => {
    const json = { model: "m", messages: [{ role: "user", content: "hi" }], ...more };
    const facts = chat.inbound.readRequest(json, {});
    return router.plan({
      key,
      style: chat,
      body: { json },
      facts,
      inputTokens: INPUT_TOKENS,
      units,
    });
  };
  return { health, plan, channels };
}

function catalogOf(known: Model | undefined): Catalog {
  return {
    findModel: () => known,
    listModels: () => [],
    findCounting: () => undefined,
    findFamily: () => undefined,
  };
}

function codeOf(run: () => unknown): string {
  return errorOf(run)?.code ?? "";
}

function errorOf(run: () => unknown): GatewayError | undefined {
  try {
    run();
  } catch (cause) {
    return GatewayError.from(cause);
  }
  return undefined;
}

/** Opens the circuit of the model on a channel. */
function fail(health: Health, each: Channel): void {
  const failed = new GatewayError("upstream_failed", "");
  for (let i = 0; i < 5; i++)
    health.enter({ channel: each, upstreamModel: "upstream-m" }).leave(failed);
}

describe("the order of channels", () => {
  test("is by priority, lower first", () => {
    const { plan } = setup([
      channel("late", { priority: 5 }),
      channel("first"),
      channel("next", { priority: 1 }),
    ]);

    expect(plan().routes.map((each) => each.channel.name)).toEqual(["first", "next", "late"]);
  });

  test("is drawn by weight within one priority", () => {
    const { plan } = setup([channel("heavy", { weight: 9 }), channel("light", { weight: 1 })]);

    let heavyFirst = 0;
    for (let i = 0; i < 4_000; i++) if (plan().routes[0]?.channel.name === "heavy") heavyFirst++;

    expect(heavyFirst / 4_000).toBeWithin(0.87, 0.93);
  });

  test("puts channels with an open circuit last, and leaves out those that refuse the account", () => {
    const { plan, health } = setup([channel("a"), channel("b")]);
    const [a, b] = plan()
      .routes.map((each) => each.channel)
      .sort((x, y) => (x.name < y.name ? -1 : 1));
    if (a === undefined || b === undefined) throw new Error("Two channels were expected.");
    fail(health, a);
    expect(plan().routes.map((each) => each.channel.name)).toEqual(["b", "a"]);
    fail(health, b);
    expect(plan().routes.length).toBe(2);

    const refused = new GatewayError("upstream_auth", "", { vendor: { status: 401 } });
    for (const each of [a, b]) {
      const [secret] = each.credentials;
      if (secret === undefined) throw new Error("A credential was expected.");
      health.cool({ channel: each, upstreamModel: "upstream-m" }, secret, refused, KEY);
    }
    expect(codeOf(plan)).toBe("unavailable");
    expect(errorOf(plan)).toMatchObject({ mayRetry: false, retryAfterMs: undefined });
    expect(errorOf(plan)?.message).toContain("(status 401)");
  });
});

describe("a model", () => {
  test("has its upstream name on the channel", () => {
    expect(setup([channel("a")]).plan().routes[0]?.upstreamModel).toBe("upstream-m");
  });

  test("that the key may not use is unknown to it", () => {
    const { plan } = setup([channel("a")]);

    expect(codeOf(() => plan({}, { ...KEY, models: ["other-*"] }))).toBe("model_not_found");
    expect(codeOf(() => plan({ model: "nothing" }))).toBe("model_not_found");
  });

  test("without a price is free, or refused if the operator says so", () => {
    const free = setup([channel("a")], new Map());
    const strict = setup([channel("a")], new Map(), {
      unpriced: "refuse",
      assumedOutputTokens: 500,
    });

    expect(free.plan().estimate).toBe(0 as never);
    expect(codeOf(strict.plan)).toBe("forbidden");
  });

  test("without a catalogue row has its family's traits, by its upstream name", () => {
    const counting = { perRequest: 5 };
    const catalog: Catalog = {
      ...catalogOf(undefined),
      findCounting: (id) => (id === "upstream-m" ? counting : undefined),
      findFamily: () => undefined,
    };
    const channels = new Channels(catalog, PRICED);
    channels.replace([channel("a")]);

    expect(channels.find("m")?.[0]?.traits).toMatchObject({ counting, maxOutputTokens: 1_000 });
  });

  test("of a local server has no vendor's price", () => {
    const known = {
      id: "m",
      owner: "x",
      kind: "chat",
      createdAt: 0,
      input: [],
      output: [],
      tools: true,
      reasoning: false,
      price: PRICE,
    } as const;
    const channels = new Channels(catalogOf(known), new Map());
    channels.replace([
      channel("local", { provider: "ollama" }),
      channel("far", { provider: "together" }),
    ]);

    expect(channels.find("m")?.map((each) => each.price)).toEqual([undefined, PRICE]);
  });
});

describe("if the channels of a model differ", () => {
  const onlyEmbeds = channel("e", { provider: "jina" });

  test("those without the needed ability are skipped", () => {
    const { plan } = setup([onlyEmbeds, channel("a")]);

    expect(plan().routes.map((each) => each.channel.name)).toEqual(["a"]);
  });

  test("a call that none of them supports is refused as such, even if some are in cooldown", () => {
    expect(codeOf(() => setup([onlyEmbeds]).plan())).toBe("model_not_found");
  });
});

describe("for a user of a group", () => {
  const group: Group = { id: 3, name: "g", priceFactor: 1_500, prices: new Map(), createdAt: 0 };
  const inGroup = (more: Partial<Group>): ApiKey => ({ ...KEY, group: { ...group, ...more } });

  test("only the group's channels are considered", () => {
    const { plan, channels } = setup([channel("a"), channel("b"), channel("c", { priority: 1 })]);
    const key = inGroup({ channels: ["c", "b", "gone"] });
    const none = inGroup({ channels: ["gone"] });

    expect(plan({}, key).routes.map((each) => each.channel.name)).toEqual(["b", "c"]);
    expect(codeOf(() => plan({}, none))).toBe("model_not_found");
    expect(channels.list(key).map(({ id }) => id)).toEqual(["m"]);
    expect(channels.list(none)).toEqual([]);
    expect(channels.describe(none, "m")).toBeUndefined();
  });

  test("a channel of the group in cooldown does not open other channels", () => {
    const { plan, health } = setup([channel("a"), channel("b")]);
    const [b] = plan({}, inGroup({ channels: ["b"] })).routes.map((each) => each.channel);
    if (b === undefined) throw new Error("A channel was expected.");
    fail(health, b);

    const names = plan({}, inGroup({ channels: ["b"] })).routes.map((each) => each.channel.name);
    expect(names).toEqual(["b"]);
  });

  test("the plan has the group's price, and reserves by it", () => {
    const { plan } = setup([channel("a")]);
    const usual = plan().estimate;

    const dearer = plan({}, inGroup({}));
    const own = plan({}, inGroup({ prices: new Map([["m", { ...PRICE, input: 0, output: 7 }]]) }));

    expect(dearer.routes[0]?.price).toMatchObject({ input: 1_500_000, output: 3_000_000 });
    expect(dearer.estimate * 2).toBe(usual * 3);
    expect(own.routes[0]?.price).toMatchObject({ input: 0, output: 7 });
    expect(own.estimate).toBe(4 as never);
  });

  test("the group's own price counts as a price if free calls are disabled", () => {
    const { plan } = setup([channel("a")], new Map(), {
      unpriced: "refuse",
      assumedOutputTokens: 500,
    });

    expect(codeOf(() => plan({}, inGroup({})))).toBe("forbidden");
    expect(plan({}, inGroup({ prices: new Map([["m", PRICE]]) })).routes).toHaveLength(1);
  });
});

describe("the reservation", () => {
  const { plan } = setup([channel("a")]);
  /** What is reserved besides the input. */
  const output = (more: JsonObject): number => {
    const { estimate } = plan(more);
    return (estimate - INPUT_TOKENS * 1_000) / 2_000;
  };

  test("covers the output limit of the call, up to the model's maximum", () => {
    expect(output({ max_tokens: 101 })).toBe(101);
    expect(output({ max_tokens: 9_999 })).toBe(1_000);
  });

  test("covers images, seconds, characters and searches, at the price of the request", () => {
    const price = { ...PRICE, image: 40_000_000_000, second: 2_000_000, search: 3_000_000 };
    const graded = { ...price, grades: { "4K": { image: 240_000_000_000 } } };
    const router = setup([channel("a")], new Map([["m", { price: graded }]]));
    const reserved = (units: Units): number =>
      router.plan({}, KEY, units).estimate - router.plan().estimate;

    expect(reserved({ images: 2 })).toBe(80_000_000);
    expect(reserved({ images: 2, grade: "4K" })).toBe(480_000_000);
    expect(reserved({ durationMs: 1_500, searches: 2 })).toBe(3_000 + 6_000);
  });

  test("covers an assumed output without a limit", () => {
    expect(output({})).toBe(500);
  });

  test("covers every choice", () => {
    expect(output({ max_tokens: 100, n: 3 })).toBe(300);
  });
});

/** A router over candidates that a test makes up. */
function over(
  candidates: readonly Candidate[],
  settings: Partial<RouterSettings> = {},
  hasLimits = true,
) {
  const health = new Health(systemClock);
  const table = {
    find: (model: string) => (model === "m" ? candidates : undefined),
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits,
  };
  const router = new Router(table, health, {
    unpriced: "allow",
    assumedOutputTokens: 500,
    ...settings,
  });
  return { router, health };
}

function provider(id = "openai-compatible"): Provider {
  const found = findProvider(id);
  if (found === undefined) throw new Error(`There is no provider ${id}.`);
  return found;
}

function candidate(more: Partial<Candidate> = {}): Candidate {
  return {
    channel: channel("a"),
    provider: provider(),
    upstreamModel: "upstream-m",
    price: PRICE,
    traits: {},
    suffixes: [],
    ...more,
  };
}

function asking(more: JsonObject = {}) {
  const json = { model: "m", messages: [{ role: "user", content: "hi" }], ...more };
  const facts = chat.inbound.readRequest(json, {});
  return { key: KEY, style: chat, body: { json }, facts, inputTokens: INPUT_TOKENS, units: {} };
}

describe("the possible tokens of a call", () => {
  const sizeOf = (more: JsonObject, caps: readonly (number | undefined)[], isGiven = true) => {
    const candidates = caps.map((maxOutputTokens) =>
      candidate({ traits: maxOutputTokens === undefined ? {} : { maxOutputTokens } }),
    );
    const { router } = over(candidates);
    return router.sizeOf(asking(more), isGiven ? candidates : undefined);
  };

  test("are its input and its output limit, for every choice", () => {
    expect(sizeOf({ max_tokens: 100, n: 3 }, [undefined])).toEqual({ known: 310, assumed: 0 });
  });

  test("include an assumed output without a limit, and the request does not get that limit", () => {
    expect(sizeOf({ n: 2 }, [undefined])).toEqual({ known: 10, assumed: 1_000 });
  });

  test("are at most the longest answer of the channels that may serve it", () => {
    expect(sizeOf({ max_tokens: 900 }, [300, 200])).toEqual({ known: 310, assumed: 0 });
    expect(sizeOf({ max_tokens: 900 }, [200, 300])).toEqual({ known: 310, assumed: 0 });
    expect(sizeOf({ max_tokens: 900 }, [200, undefined])).toEqual({ known: 910, assumed: 0 });
    expect(sizeOf({}, [200])).toEqual({ known: 10, assumed: 200 });
    expect(sizeOf({ max_tokens: 900 }, [])).toEqual({ known: 910, assumed: 0 });
  });

  test("are over all channels of its model by default", () => {
    expect(sizeOf({ max_tokens: 900 }, [200], false)).toEqual({ known: 210, assumed: 0 });
    const { router } = over([candidate({ traits: { maxOutputTokens: 200 } })]);
    const { facts, ...call } = asking({ max_tokens: 900 });
    expect(router.sizeOf({ ...call, facts: { ...facts, model: "none" } })).toEqual({
      known: 910,
      assumed: 0,
    });
  });
});

describe("the limits of a model", () => {
  const limited = { id: "entry", limits: {} } as unknown as NonNullable<Candidate["limited"]>;

  test("are listed once, although several channels have it", () => {
    const all = [candidate({ limited }), candidate({ limited }), candidate()];

    expect(over(all).router.limitsOn(KEY, "m")).toEqual([limited]);
    expect(over(all).router.limitsOn(KEY, "unknown")).toEqual([]);
  });

  test("are empty for a model without limits, and for a key that may not use it", () => {
    expect(over([candidate({ limited })], {}, false).router.limitsOn(KEY, "m")).toEqual([]);
    expect(over([candidate({ limited })]).router.limitsOn({ ...KEY, models: [] }, "m")).toEqual([]);
  });
});

describe("a plan reserves", () => {
  const estimate = (candidates: readonly Candidate[], at?: number): number =>
    over(candidates).router.plan({
      ...asking({ max_tokens: 100 }),
      ...(at !== undefined && { at }),
    }).estimate;
  /** Of ten tokens in and a hundred out. */
  const USUAL = 10_000 + 200_000;

  test("the cost of its most expensive channel", () => {
    const dear = { ...PRICE, output: 4_000_000 };

    expect(estimate([candidate()])).toBe(USUAL);
    expect(estimate([candidate(), candidate({ price: dear })])).toBe(10_000 + 400_000);
    expect(estimate([candidate({ price: dear }), candidate()])).toBe(10_000 + 400_000);
  });

  test("the expected cost, if that is known better", () => {
    const expected = { ...NO_USAGE, inputTokens: 7 };

    expect(estimate([candidate({ expected })])).toBe(7_000);
  });

  test("by the price at the time of the call's start", () => {
    const early = candidate({
      price: { ...PRICE, variants: [{ when: { until: "2026-02-01" }, factor: 3_000 }] },
    });

    expect(estimate([early], Date.UTC(2026, 0, 15))).toBe(3 * USUAL);
    expect(estimate([early], Date.UTC(2026, 2, 15))).toBe(USUAL);
  });

  test("by the usual price without a start time, and then names every price", () => {
    const variants = [{ when: { until: "2026-02-01" }, factor: 3_000 }];
    const early = candidate({ price: { ...PRICE, variants } });
    const [route] = over([early]).router.plan(asking()).routes;

    expect(route?.price).toBe(early.price as never);
  });

  test("over the same route for every call if the price does not depend on time", () => {
    const { router } = over([candidate()]);
    const [first] = router.plan({ ...asking(), at: 1 }).routes;
    const [second] = router.plan({ ...asking(), at: 2 }).routes;

    expect(second).toBe(first as never);
  });

  test("by the price of the region that processes the channel's calls", () => {
    const price = { ...PRICE, variants: [{ when: { regions: ["eu"] }, factor: 2_000 }] };

    expect(estimate([candidate({ price, region: "eu" })])).toBe(2 * USUAL);
    expect(estimate([candidate({ price, region: "us" })])).toBe(USUAL);
  });

  test("the cost of another model that the call allows to answer", () => {
    const others: Readonly<Record<string, Price>> = { dear: { ...PRICE, output: 9_000_000 } };
    const call = asking({ max_tokens: 100 });
    const planFor = (models: readonly string[]): number =>
      over([candidate({ priceOf: (model) => others[model] })]).router.plan({
        ...call,
        facts: { ...call.facts, asked: { models } },
      }).estimate;

    expect(planFor(["dear", "unknown"])).toBe(10_000 + 900_000);
    expect(planFor(["unknown"])).toBe(USUAL);
    expect(
      over([candidate()]).router.plan({
        ...call,
        facts: { ...call.facts, asked: { models: ["dear"] } },
      }).estimate,
    ).toBe(nanoUsd(USUAL));
  });
});

describe("a survey of a model's channels", () => {
  test("has those of a plan first, and the reason for each skipped one", () => {
    const open = candidate({ channel: channel("open", { priority: 9 }) });
    const broken = candidate({ channel: channel("broken") });
    const free = candidate({ channel: channel("free", { priority: 5 }), price: undefined });
    const { router, health } = over([broken, free, open], { unpriced: undefined });
    fail(health, broken.channel);
    const names = (isBounded?: boolean): readonly (readonly [string, string | undefined])[] =>
      router
        .survey(asking(), isBounded)
        .map(({ route, objection }) => [route.channel.name, objection]);

    expect(names()).toEqual([
      ["free", undefined],
      ["open", undefined],
      ["broken", "resting"],
    ]);
    expect(names(true)).toEqual([
      ["open", undefined],
      ["broken", "resting"],
      ["free", "unpriced"],
    ]);
  });

  test("follows the operator's rule for models without a price, for every user", () => {
    const free = candidate({ price: undefined });
    const objectionWith = (unpriced: RouterSettings["unpriced"], isBounded: boolean): unknown =>
      over([free], { unpriced }).router.survey(asking(), isBounded)[0]?.objection;

    expect(objectionWith("allow", true)).toBeUndefined();
    expect(objectionWith("warn", true)).toBeUndefined();
    expect(objectionWith("refuse", false)).toBe("unpriced");
    expect(over([free], { unpriced: undefined }).router.asksForBounds).toBe(true);
    expect(over([free]).router.asksForBounds).toBe(false);
  });

  test("is empty for a model that generates no text", () => {
    const pictures = candidate({ provider: provider("ark"), upstreamModel: "doubao-seedream-4-0" });
    const plain = candidate();

    expect(codeOf(() => over([pictures]).router.survey(asking()))).toBe("model_not_found");
    expect(over([pictures, plain]).router.survey(asking())).toHaveLength(1);
  });
});

describe("a model without a price", () => {
  test("has an unknown cost, unless it is on the operator's own machine", () => {
    expect(isUnpriced(candidate())).toBe(false);
    expect(isUnpriced(candidate({ price: undefined }))).toBe(true);
    expect(isUnpriced(candidate({ price: undefined, provider: provider("ollama") }))).toBe(false);
  });

  test("may have a price that lacks the expected units", () => {
    const seconds = { ...NO_USAGE, durationMs: 5_000 };

    expect(isUnpriced(candidate({ expected: seconds }))).toBe(true);
    expect(isUnpriced(candidate({ expected: { ...NO_USAGE, inputTokens: 5 } }))).toBe(false);
  });

  test("is refused with its first channel, and a long name is truncated", () => {
    const first = candidate();
    const refused = new UnpricedModel("x".repeat(129), [first, candidate()], "it is so");

    expect(refused.candidate).toBe(first);
    expect(refused.message).toContain(`'${"x".repeat(128)}...'`);
    expect(new UnpricedModel("x".repeat(128), [], "").message).toContain(`'${"x".repeat(128)}'`);
  });

  test("leaves the channels with a price if models without one are refused", () => {
    const free = candidate({ channel: channel("free"), price: undefined });
    const { router } = over([free, candidate()], { unpriced: "refuse" });

    expect(router.plan(asking()).routes.map((each) => each.channel.name)).toEqual(["a"]);
  });
});

describe("the price for a group", () => {
  const own: Price = { ...PRICE, input: 5 };
  const group: Group = {
    id: 3,
    name: "g",
    priceFactor: 2_000,
    prices: new Map([["vendor/m", own]]),
    createdAt: 0,
  };

  test.each(["entry", "base", "aliasOf"] as const)("applies to the model's %s, too", (name) => {
    const one = candidate({ [name]: "vendor/m" });

    expect(priceOn(one, { ...KEY, group }, "m")).toBe(own);
    expect(priceOn(one, KEY, "m")).toBe(PRICE);
    expect(priceOn(candidate(), { ...KEY, group }, "m")).toMatchObject({ input: 2_000_000 });
  });

  test("is its own if it sets one, and applies to other models of the vendor, too", () => {
    const one = candidate({ entry: "vendor/m", priceOf: () => PRICE });
    const [planned] = over([one]).router.plan({ ...asking(), key: { ...KEY, group } }).routes;
    const [usual] = over([candidate()]).router.plan({ ...asking(), key: { ...KEY, group } }).routes;

    expect(planned?.hasOwnPrice).toBe(true);
    expect(planned?.priceOf?.("vendor/m")).toBe(own);
    expect(planned?.priceOf?.("other")).toMatchObject({ input: 2_000_000 });
    expect(usual?.hasOwnPrice).toBeUndefined();
    expect(usual).not.toHaveProperty("priceOf");
  });

  test("stays unknown if the price is unknown", () => {
    const [planned] = over([candidate({ price: undefined })]).router.plan({
      ...asking(),
      key: { ...KEY, group },
    }).routes;

    expect(planned).not.toHaveProperty("hasOwnPrice");
    expect(FREE.source).not.toBe(planned?.price?.source);
  });
});

describe("if no channel is available", () => {
  const limited = (retryAfterMs: number): GatewayError =>
    new GatewayError("upstream_rate_limited", "", { retryAfterMs, vendor: { status: 429 } });
  const cooled = (one: Candidate, health: Health, error: GatewayError): void => {
    const [secret] = one.channel.credentials;
    if (secret !== undefined) health.cool(one, secret, error, KEY);
  };

  test("the client gets the shortest wait, and the reason", () => {
    const health = new Health(systemClock);
    const [one, two] = [
      candidate({ channel: channel("one") }),
      candidate({ channel: channel("two") }),
    ];
    cooled(one, health, limited(20_000));
    cooled(two, health, limited(40_000));

    const error = allResting([one, two], health, KEY);

    expect(error.retryAfterMs).toBeWithin(19_000, 20_001);
    expect(error.mayRetry).toBeUndefined();
    expect(error.message).toContain("rate limit is reached (status 429)");
    const waits = new Map([[one.channel, 3_000]]);
    expect(allResting([one, two], health, KEY, waits).retryAfterMs).toBe(3_000);
  });

  test("no wait is given if waiting does not help", () => {
    const waits = new Map([[candidate().channel, Infinity]]);
    const one = candidate({ channel: [...waits.keys()][0] ?? channel("a") });

    const error = allResting([one], new Health(systemClock), KEY, waits);

    expect(error.retryAfterMs).toBeUndefined();
    expect(error.message).toContain("each one is at its limit of calls.");
  });

  test("a client may try again if one of them may serve it later", () => {
    const health = new Health(systemClock);
    const [one, two] = [
      candidate({ channel: channel("one") }),
      candidate({ channel: channel("two") }),
    ];
    cooled(one, health, new GatewayError("upstream_auth", ""));
    cooled(two, health, limited(40_000));

    const error = allResting([one, two], health, KEY);

    expect(error.mayRetry).toBeUndefined();
    expect(error.message).toEndWith("does not accept the gateway's account.");
  });
});

describe("the endpoint of a call", () => {
  const twoStyles = provider("minimax");
  const on = (more: Partial<Candidate>, style = chat) =>
    routeFor(candidate({ upstreamModel: "MiniMax-M2", ...more }), { ...asking(), style });

  test("has the client's style if the vendor supports it, or the channel's", () => {
    expect(on({ provider: twoStyles }).endpoint?.style.id).toBe("chat");
    expect(on({ provider: twoStyles }, messages as never).endpoint?.style.id).toBe("messages");
    const channelOf = channel("a", { style: "messages" });
    expect(on({ provider: twoStyles, channel: channelOf }).endpoint?.style.id).toBe("messages");
  });

  test("is the vendor's first if it does not support the client's", () => {
    expect(on({}, messages as never).endpoint?.style.id).toBe("chat");
  });

  test("serves the model and is offered on the channel", () => {
    const [first] = twoStyles.text;
    if (first === undefined) throw new Error("It has one.");
    const only = (more: object): Provider => ({ ...twoStyles, text: [{ ...first, ...more }] });

    expect(codeOf(() => on({ provider: only({ serves: () => false }) }))).toBe("model_not_found");
    const rule = (options: { readonly region?: string }): boolean => options.region === "eu";
    const offered = only({ isOffered: rule });
    expect(codeOf(() => on({ provider: offered }))).toBe("model_not_found");
    const inEurope = channel("a", { options: { region: "eu" } });
    expect(on({ provider: offered, channel: inEurope }).endpoint).toBeDefined();
    const asSet = channel("a", { style: "chat" });
    expect(on({ provider: offered, channel: asSet }).endpoint).toBeDefined();
  });

  test("has the style that the model needs for the request, with the reason", () => {
    const needing = { provider: twoStyles, traits: { rules: { needsStyle: { any: "messages" } } } };

    expect(on(needing)).toMatchObject({
      endpoint: { style: { id: "messages" } },
      neededFor: "any",
    });
    expect(on({ provider: twoStyles })).not.toHaveProperty("neededFor");
    const missing = { provider: twoStyles, traits: { rules: { needsStyle: { any: "none" } } } };
    expect(on(missing).endpoint?.style.id).toBe("chat");
    expect(on(missing)).not.toHaveProperty("neededFor");
  });

  test("is the same object for every call of a candidate, and another one for each style", () => {
    const one = candidate({ provider: twoStyles, upstreamModel: "MiniMax-M2" });
    const inChat = routeFor(one, { ...asking(), style: chat });
    const inMessages = routeFor(one, { ...asking(), style: messages as never });

    expect(routeFor(one, { ...asking(), style: chat })).toBe(inChat);
    expect(routeFor(one, { ...asking(), style: messages as never })).toBe(inMessages);
    expect(inMessages).not.toBe(inChat);
  });

  test("is searched once for each candidate, not for every call", () => {
    const [first] = provider().text;
    if (first === undefined) throw new Error("It has one.");
    let asked = 0;
    const serves = (): boolean => asked++ >= 0;
    const one = candidate({ provider: { ...twoStyles, text: [{ ...first, serves }] } });
    for (let i = 0; i < 3; i++) routeFor(one, asking());

    expect(asked).toBe(1);
  });

  test("does not exist for a model that makes only images or videos, even if its vendor has text", () => {
    const serves = (model: string): boolean => model === "painter";
    const painting = {
      ...provider(),
      videos: [],
      images: [{ isExclusive: true, serves }],
    } as never;
    const sharing = { ...provider(), videos: [], images: [{ serves }] } as never;

    expect(codeOf(() => on({ provider: painting, upstreamModel: "painter" }))).toBe(
      "model_not_found",
    );
    expect(on({ provider: painting, upstreamModel: "writer" }).endpoint).toBeDefined();
    expect(on({ provider: sharing, upstreamModel: "painter" }).endpoint).toBeDefined();
  });

  test("is refused with the kind of any channel that makes something else", () => {
    const painter = {
      provider: provider("ark"),
      upstreamModel: "doubao-seedream-4-0-250828",
    };
    const other = { provider: provider("jina"), upstreamModel: "jina-embeddings-v3" };
    const { router } = over([candidate(other), candidate(painter)]);

    expect(errorOf(() => router.plan(asking()))?.message).toContain("it makes pictures");
  });

  test("is the vendor's adapter if it has one", () => {
    const adapter = { id: "test" } as unknown as NonNullable<Provider["adapter"]>;

    expect(on({ provider: { ...twoStyles, adapter } })).toMatchObject({ adapter });
  });

  test.each([
    ["ark", "doubao-seedream-4-0-250828", "makes pictures, at POST /v1/images/generations"],
    ["ark", "doubao-seedance-1-0-pro-250528", "makes videos, at POST /v1/videos"],
  ])(
    "does not exist at %s for %s, and the error names the supported kind",
    (id, upstreamModel, said) => {
      const refused = errorOf(() => on({ provider: provider(id), upstreamModel }));

      expect(refused?.code).toBe("model_not_found");
      expect(refused?.message).toContain(said);
    },
  );

  test("cannot be found for a model without known abilities", () => {
    expect(errorOf(() => on({ provider: provider("jina") }))?.message).toBe(
      "This model does not generate text.",
    );
  });
});

describe("a call that only a vendor of its own style supports", () => {
  test("goes to a vendor of the style, and is refused without one", () => {
    const call = asking();
    const refusal = new GatewayError("invalid_request", "It does not take this.");
    const unknown = { ...call, facts: { ...call.facts, unknownValue: refusal } };
    const planned = over([candidate()]).router.plan(unknown);
    const elsewhere = { ...unknown, style: messages as never };

    expect(planned.routes).toHaveLength(1);
    expect(errorOf(() => over([candidate()]).router.plan(elsewhere))).toBe(refusal);
  });

  test("is refused with the message of its planner", () => {
    const { router } = over([candidate()]);

    expect(
      errorOf(() => router.planFor(asking(), () => undefined, "does not make videos"))?.message,
    ).toBe("This model does not make videos.");
  });
});
