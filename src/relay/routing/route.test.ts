import { describe, expect, test } from "bun:test";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import type { Units } from "#core/usage.ts";
import type { ApiKey } from "#core/key.ts";
import type { Catalog, Model, ModelOverride } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { systemClock } from "#lib/clock.ts";
import { chat } from "#styles/text/chat/index.ts";
import { Channels } from "./channels.ts";
import { Health } from "../failover/health.ts";
import { Router, type RouterSettings } from "./route.ts";

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
  test("goes by the name the channel has for it", () => {
    expect(setup([channel("a")]).plan().routes[0]?.upstreamModel).toBe("upstream-m");
  });

  test("that the key may not use does not exist for it", () => {
    const { plan } = setup([channel("a")]);

    expect(codeOf(() => plan({}, { ...KEY, models: ["other-*"] }))).toBe("model_not_found");
    expect(codeOf(() => plan({ model: "nothing" }))).toBe("model_not_found");
  });

  test("without a price is free, or refused where the owner says so", () => {
    const free = setup([channel("a")], new Map());
    const strict = setup([channel("a")], new Map(), {
      unpriced: "refuse",
      assumedOutputTokens: 500,
    });

    expect(free.plan().estimate).toBe(0 as never);
    expect(codeOf(strict.plan)).toBe("forbidden");
  });

  test("that is not listed counts as its family does, by the name its upstream knows", () => {
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

  test("of a local server has nobody else's price", () => {
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

describe("where not every channel of a model does the same", () => {
  const onlyEmbeds = channel("e", { provider: "jina" });

  test("those that cannot are passed over", () => {
    const { plan } = setup([onlyEmbeds, channel("a")]);

    expect(plan().routes.map((each) => each.channel.name)).toEqual(["a"]);
  });

  test("a call that none of them can serve is refused as such, whoever rests", () => {
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

  test("a channel of the group that rests is no reason to leave the group's channels", () => {
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

  test("a price of the group's own is a price where free calls are switched off", () => {
    const { plan } = setup([channel("a")], new Map(), {
      unpriced: "refuse",
      assumedOutputTokens: 500,
    });

    expect(codeOf(() => plan({}, inGroup({})))).toBe("forbidden");
    expect(plan({}, inGroup({ prices: new Map([["m", PRICE]]) })).routes).toHaveLength(1);
  });
});

describe("what is reserved", () => {
  const { plan } = setup([channel("a")]);
  /** What is reserved besides the input. */
  const output = (more: JsonObject): number => {
    const { estimate } = plan(more);
    return (estimate - INPUT_TOKENS * 1_000) / 2_000;
  };

  test("covers the output the call names, up to what the model can write", () => {
    expect(output({ max_tokens: 101 })).toBe(101);
    expect(output({ max_tokens: 9_999 })).toBe(1_000);
  });

  test("covers pictures, seconds, characters and searches, at the price of what is asked for", () => {
    const price = { ...PRICE, image: 40_000_000_000, second: 2_000_000, search: 3_000_000 };
    const graded = { ...price, grades: { "4K": { image: 240_000_000_000 } } };
    const router = setup([channel("a")], new Map([["m", { price: graded }]]));
    const reserved = (units: Units): number =>
      router.plan({}, KEY, units).estimate - router.plan().estimate;

    expect(reserved({ images: 2 })).toBe(80_000_000);
    expect(reserved({ images: 2, grade: "4K" })).toBe(480_000_000);
    expect(reserved({ durationMs: 1_500, searches: 2 })).toBe(3_000 + 6_000);
  });

  test("covers an assumed output where the call names none", () => {
    expect(output({})).toBe(500);
  });

  test("covers every choice", () => {
    expect(output({ max_tokens: 100, n: 3 })).toBe(300);
  });
});
