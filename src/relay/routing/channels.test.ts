import { describe, expect, test } from "bun:test";
import { findModel, listModels } from "#catalog/index.ts";
import type { Channel } from "#core/channel.ts";
import type { ApiKey } from "#core/key.ts";
import type { Catalog, Model, ModelKind, ModelOverride } from "#core/model.ts";
import { systemClock } from "#lib/clock.ts";
import { findProvider } from "#providers/index.ts";
import { Channels } from "./channels.ts";
import { Health } from "../failover/health.ts";
import { Router } from "./route.ts";
import type { FoundModel } from "#core/found-model.ts";
import { aChannel } from "#test/a-channel.ts";

const KEY: ApiKey = { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] };
const THINKER: Model = {
  id: "thinker",
  owner: "openai-compatible",
  kind: "chat",
  createdAt: 0,
  input: ["text"],
  output: ["text"],
  tools: true,
  reasoning: false,
  suffixes: ["thinking"],
};
const CATALOG: Catalog = {
  findModel: (_provider, id) => (id === "thinker" ? THINKER : undefined),
  listModels: () => [],
  findCounting: () => undefined,
  findFamily: () => undefined,
};

function limitsOn(model: string, overrides: readonly (readonly [string, ModelOverride])[]) {
  const names = new Map([
    ["thinker", "thinker"],
    ["alias", "thinker"],
    ["plain", "plain"],
  ]);
  const channel = (name: string): Channel => ({
    name,
    provider: "openai-compatible",
    baseUrl: "http://127.0.0.1:1/v1",
    credentials: [],
    models: { kind: "listed", upstreamNames: names },
    priority: 0,
    weight: 1,
    maxConcurrent: 1,
    isSimulated: false,
  });
  const channels = new Channels(CATALOG, new Map(overrides));
  channels.replace([channel("one"), channel("two")]);
  const settings = { unpriced: "allow", assumedOutputTokens: 1 } as const;
  return new Router(channels, new Health(systemClock), settings).limitsOn(KEY, model);
}

describe("a model's limits", () => {
  const limits = { requestsPerMinute: 5 };
  const limited = [{ id: "model:thinker", limits }];

  test("are the same on every channel that has it", () => {
    expect(limitsOn("thinker", [["thinker", { limits }]])).toEqual(limited);
  });

  test("apply under its aliases and suffixes, too, and are shared with them", () => {
    const overrides = [["thinker", { limits }]] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
    expect(limitsOn("thinker-thinking", overrides)).toEqual(limited);
  });

  test("of an alias take precedence over those of its target", () => {
    const own = { requestsPerMinute: 9 };
    const overrides = [
      ["thinker", { limits }],
      ["alias", { limits: own }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual([{ id: "model:alias", limits: own }]);
  });

  test("apply to an alias whose entry sets other fields", () => {
    const overrides = [
      ["thinker", { limits }],
      ["alias", { contextTokens: 9 }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
  });

  test("do not apply to other models", () => {
    expect(limitsOn("plain", [["thinker", { limits }]])).toEqual([]);
    expect(limitsOn("unknown", [["thinker", { limits }]])).toEqual([]);
  });
});

describe("before an upstream listed its models", () => {
  const model = (kind: ModelKind, id = `some-${kind}`): Model => ({ ...THINKER, id, kind });
  const KINDS = [
    "chat",
    "embedding",
    "rerank",
    "image",
    "video",
    "speech",
    "transcription",
    "moderation",
  ] as const;

  function listedOf(provider: string, models: readonly Model[]): readonly string[] {
    const channels = new Channels({ ...CATALOG, listModels: () => models }, new Map());
    channels.replace([aChannel({ provider, baseUrl: "http://127.0.0.1:1/v1" })]);
    const declared = findProvider(provider)?.models ?? [];
    const listed = channels.list(KEY).map(({ id }) => id);
    expect(listed).toEqual(expect.arrayContaining([...declared]));
    return listed.filter((id) => models.some((row) => row.id === id) || !declared.includes(id));
  }

  test.each([
    ["openai", "chat embedding image moderation speech transcription video"],
    ["anthropic", "chat"],
    ["gemini", "chat embedding image video"],
    ["ark", "chat embedding image video"],
    ["dashscope", "chat embedding image rerank video"],
    ["jina", "embedding rerank"],
    ["groq", "chat speech transcription"],
  ])("the known models of %s are listed", (provider, kinds) => {
    const listed = listedOf(
      provider,
      KINDS.map((kind) => model(kind, IDS[`${provider} ${kind}`])),
    );

    const expected = kinds.split(" ").map((kind) => IDS[`${provider} ${kind}`] ?? `some-${kind}`);
    expect(listed).toEqual(expected.toSorted());
  });

  test("models without an endpoint are not listed", () => {
    const models = [model("image", "grok-2-image"), model("image", "grok-4"), model("chat")];

    expect(listedOf("xai", models)).toEqual(["grok-2-image", "some-chat"]);
  });
});

/** Where an endpoint serves models by their names. */
const IDS: Readonly<Record<string, string>> = {
  "openai image": "gpt-image-1",
  "openai video": "sora-2",
  "gemini image": "gemini-2.5-flash-image",
  "gemini video": "veo-3.0-generate-001",
  "ark image": "doubao-seedream-4-0-250828",
  "ark video": "doubao-seedance-1-0-pro-250528",
  "dashscope image": "qwen-image-plus",
  "dashscope video": "wan2.5-t2v-preview",
};

describe("a channel without a list of models", () => {
  const named = (id: string, more: object = {}): Model => ({
    ...THINKER,
    id,
    owner: "openai",
    ...more,
  });
  const ROWS = [named("gpt-4o-mini", { aliases: ["gpt-4o-mini-2024-07-18"] }), named("o3")];
  const ROWS_CATALOG: Catalog = {
    findModel: (_provider, id) => ROWS.find((row) => [row.id, ...(row.aliases ?? [])].includes(id)),
    listModels: (provider) => (provider === "openai" ? ROWS : []),
    findCounting: () => undefined,
    findFamily: () => undefined,
  };
  const MAIN = aChannel({ name: "main", baseUrl: "https://api.openai.com/v1" });
  const FACTS = { stream: false, maxOutputTokens: 1, choices: 1 };

  function channelsOf(all: readonly Channel[], overrides = new Map<string, ModelOverride>()) {
    const channels = new Channels(ROWS_CATALOG, overrides);
    channels.replace(all);
    return channels;
  }

  const found = (id: string): FoundModel => ({ id });
  const idsOf = (channels: Channels, key = KEY): readonly string[] =>
    channels.list(key).map(({ id }) => id);
  const reached = (channels: Channels, name: string) =>
    channels.find(name)?.map(({ channel, upstreamModel }) => `${channel.name} ${upstreamModel}`);

  test("serves the catalogue's models and their other ids, before its upstream's list and after", () => {
    const channels = channelsOf([MAIN]);

    for (const list of [undefined, ["gpt-4o-mini", "new"], ["gpt-4o-mini-2024-07-18", "new"]]) {
      if (list !== undefined) channels.discovered(MAIN, list.map(found));
      for (const name of ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", "o3"]) {
        expect(reached(channels, name)).toEqual([`main ${name}`]);
      }
      expect(channels.find("new") !== undefined).toBe(list !== undefined);
    }
  });

  test("lists other ids of a model only if its upstream does", () => {
    const channels = channelsOf([MAIN]);
    expect(idsOf(channels)).toEqual(["gpt-4o-mini", "o3"]);

    channels.discovered(MAIN, ["gpt-4o-mini-2024-07-18", "new"].map(found));
    const known = ["gpt-4o-mini", "gpt-4o-mini-2024-07-18", "new", "o3"];
    expect(idsOf(channels)).toEqual(known);
  });

  test("takes abilities and dates of models that the catalogue lacks from its upstream's list", () => {
    const channels = channelsOf([MAIN]);
    channels.discovered(MAIN, [
      { id: "new", createdAt: 1_790_000_000, traits: { contextTokens: 5, tools: true } },
    ]);

    expect(channels.find("new")?.[0]?.traits).toEqual({ contextTokens: 5, tools: true });
    expect(channels.describe(KEY, "new")?.createdAt).toBe(1_790_000_000);
  });

  test("takes abilities of a model from the one that the operator names as alike", () => {
    const overrides = new Map([["house", { like: "gpt-4o-mini", maxOutputTokens: 7 }]]);
    const channels = channelsOf([MAIN], overrides);
    channels.discovered(MAIN, [{ id: "house", traits: { tools: false } }]);
    const traits = (name: string) => channels.find(name)?.[0]?.traits;

    expect(traits("house")).toEqual({ ...traits("gpt-4o-mini"), maxOutputTokens: 7 });
  });

  test("is skipped for a model that another channel's list has and its own has not", () => {
    const other = aChannel({ name: "other" });
    const channels = channelsOf([MAIN, other]);
    expect(reached(channels, "o3")).toEqual(["main o3", "other o3"]);

    channels.discovered(MAIN, ["gpt-4o-mini-2024-07-18"].map(found));
    channels.discovered(other, ["gpt-4o-mini", "o3"].map(found));

    expect(reached(channels, "o3")).toEqual(["other o3"]);
    expect(reached(channels, "gpt-4o-mini")).toEqual(["main gpt-4o-mini", "other gpt-4o-mini"]);
  });

  test("with its own base URL lists its upstream's models, and accepts others unlisted", () => {
    const elsewhere = aChannel({ baseUrl: "http://127.0.0.1:8000/v1" });
    const channels = channelsOf([elsewhere]);
    expect(idsOf(channels)).toContain("o3");

    channels.discovered(elsewhere, ["gpt-4o-mini"].map(found));

    expect(idsOf(channels)).toEqual(["gpt-4o-mini"]);
    expect(reached(channels, "gpt-4o-mini-2024-07-18")).toEqual(["one gpt-4o-mini-2024-07-18"]);
    expect(reached(channels, "o3")).toEqual(["one o3"]);
  });

  test("that gets a list does not change the models of other channels", () => {
    const other = aChannel({ name: "other" });
    const channels = channelsOf([MAIN, other]);
    const [ofMain, ofOther] = channels.find("o3") ?? [];

    channels.discovered(other, ["o3"].map(found));

    const now = channels.find("o3") ?? [];
    expect(now.map(({ channel }) => channel.name)).toEqual(["main", "other"]);
    expect([now[0] === ofMain, now[1] === ofOther]).toEqual([true, false]);
  });

  test("serves its provider's known models at once", () => {
    const kling = aChannel({ provider: "kling", baseUrl: "http://127.0.0.1:1" });

    expect(idsOf(channelsOf([kling]))).toContain("kling-v2-6");
  });

  test("applies an entry of a model to its other ids, as far as those have no entry", () => {
    const limits = { requestsPerMinute: 5 };
    const price = { input: 1, output: 2, source: "a list", date: "2026-11-01" };
    const overrides = new Map([["gpt-4o-mini", { limits, price }]]);
    const channels = channelsOf([MAIN], overrides);
    const said = { price, limited: { id: "model:gpt-4o-mini", limits } };

    expect(channels.find("gpt-4o-mini-2024-07-18")?.[0]).toMatchObject(said);
    channels.discovered(MAIN, ["gpt-4o-mini-2024-07-18"].map(found));
    expect(channels.find("gpt-4o-mini-2024-07-18")?.[0]).toMatchObject(said);
    expect(channels.find("o3")?.[0]?.limited).toBeUndefined();
  });

  test("serves another id to a key for the model, and no id of another model", () => {
    const channels = channelsOf([MAIN]);
    const key = { ...KEY, models: ["gpt-4o-mini"] };
    const settings = { unpriced: "allow", assumedOutputTokens: 1 } as const;
    const router = new Router(channels, new Health(systemClock), settings);
    const ask = (model: string) => () =>
      router.planFor({ key, facts: { model, ...FACTS }, inputTokens: 1 }, (each) => each, "");

    for (const list of [undefined, ["gpt-4o-mini-2024-07-18"]]) {
      if (list !== undefined) channels.discovered(MAIN, list.map(found));
      expect(ask("gpt-4o-mini-2024-07-18")().routes).toHaveLength(1);
      expect(ask("openai/gpt-4o-mini")().routes).toHaveLength(1);
      expect(ask("openai/o3")).toThrow("does not exist");
      expect(ask("o3")).toThrow("does not exist");
    }
  });
});

describe("a vendor's prefix before a model name", () => {
  const listed = (name: string, provider: string, models: readonly string[]): Channel =>
    aChannel({
      name,
      provider,
      models: { kind: "listed", upstreamNames: new Map(models.map((id) => [id, id])) },
    });
  const made: Model = { ...THINKER, id: "gpt-4o-mini", owner: "openai" };
  const makers: Catalog = {
    ...CATALOG,
    findModel: (_provider, id) => (id === made.id ? made : undefined),
  };

  function reached(all: readonly Channel[], name: string, catalog = makers) {
    const channels = new Channels(catalog, new Map());
    channels.replace(all);
    return channels.find(name)?.map((each) => `${each.channel.name} ${each.upstreamModel}`);
  }

  const OPENAI = listed("openai", "openai", ["gpt-4o-mini"]);
  const AZURE = listed("azure", "azure-openai", ["gpt-4o-mini"]);
  const GOOGLE = listed("google", "gemini", ["gemini-2.5-flash", "gpt-4o-mini"]);
  const ROUTER = listed("router", "openrouter", ["openai/gpt-4o-mini"]);

  test("selects the channels of that vendor only", () => {
    expect(reached([OPENAI, AZURE], "openai/gpt-4o-mini")).toEqual(["openai gpt-4o-mini"]);
    expect(reached([OPENAI, GOOGLE], "gemini/gemini-2.5-flash")).toEqual([
      "google gemini-2.5-flash",
    ]);
    expect(reached([OPENAI, GOOGLE], "google/gemini-2.5-flash")).toEqual([
      "google gemini-2.5-flash",
    ]);
    expect(reached([ROUTER], "openrouter/openai/gpt-4o-mini")).toEqual([
      "router openai/gpt-4o-mini",
    ]);
  });

  test("selects any channel with the maker's model, if the maker has no channel", () => {
    expect(reached([AZURE], "openai/gpt-4o-mini")).toEqual(["azure gpt-4o-mini"]);
    expect(reached([AZURE], "openai/gpt-4o-mini", CATALOG)).toBeUndefined();
  });

  test("is no prefix if a channel has a model of exactly that name", () => {
    expect(reached([OPENAI, ROUTER], "openai/gpt-4o-mini")).toEqual(["router openai/gpt-4o-mini"]);
  });

  test("may be 'models', as in the native style", () => {
    expect(reached([OPENAI], "models/gpt-4o-mini")).toEqual(["openai gpt-4o-mini"]);
    expect(reached([ROUTER], "models/openai/gpt-4o-mini")).toEqual(["router openai/gpt-4o-mini"]);
  });

  test("works before a suffix as well", () => {
    const thinking: Catalog = { ...CATALOG, findModel: () => ({ ...THINKER, id: "gpt-4o-mini" }) };

    expect(reached([OPENAI], "openai/gpt-4o-mini-thinking", thinking)).toEqual([
      "openai gpt-4o-mini",
    ]);
  });

  test("finds nothing if it is another vendor's", () => {
    for (const name of ["anthropic/gpt-4o-mini", "x/gpt-4o-mini", "/gpt-4o-mini", "openai/", "/"]) {
      expect(reached([OPENAI], name)).toBeUndefined();
    }
  });

  test("[A7] needs a key for the model itself", () => {
    const channels = new Channels(makers, new Map());
    channels.replace([OPENAI]);

    const may = { ...KEY, models: ["gpt-4o-mini"] };
    const mayNot = { ...KEY, models: ["openai/*"] };

    expect(channels.describe(may, "openai/gpt-4o-mini")?.id).toBe("openai/gpt-4o-mini");
    expect(channels.describe(mayNot, "openai/gpt-4o-mini")).toBeUndefined();
  });
});

describe("a retired model", () => {
  const OWN = aChannel({ name: "own", baseUrl: "https://api.openai.com/v1" });
  const FILMS = aChannel({ name: "films", provider: "vidu", baseUrl: "https://api.vidu.com" });
  const refusalOf = (
    all: readonly Channel[],
    model: string,
    key = KEY,
    listed?: readonly string[],
  ) => {
    const channels = new Channels({ ...CATALOG, findModel, listModels }, new Map());
    channels.replace(all);
    if (listed !== undefined)
      channels.discovered(
        OWN,
        listed.map((id) => ({ id })),
      );
    const settings = { unpriced: "allow", assumedOutputTokens: 1 } as const;
    const facts = { model, stream: false, maxOutputTokens: 1, choices: 1 };
    const asked = { key, facts, inputTokens: 1 };
    try {
      new Router(channels, new Health(systemClock), settings).planFor(asked, (each) => each, "");
      return `served, ${channels.list(key).some(({ id }) => id === model) ? "" : "not "}listed`;
    } catch (cause) {
      return cause instanceof Error ? cause.message : "";
    }
  };

  test("is not served at the vendor's own address, and the error names the nearest served one", () => {
    expect(refusalOf([OWN], "sora-2")).toBe(
      "The vendor of 'sora-2' stopped serving it on 2026-09-24. No model that is served here does the same.",
    );
    expect(refusalOf([OWN, FILMS], "sora-2-pro-2025-10-06")).toMatch(
      /stopped serving it on 2026-09-24\. The nearest model that is served here is 'vidu/,
    );
    expect(refusalOf([OWN], "openai/gpt-4.1-nano")).toEndWith("is 'gpt-5.4-nano'.");
  });

  test("is replaced by the model that its maker names, if that is served", () => {
    const rows = (replacement: string) => (provider: string) =>
      listModels(provider).map((row) =>
        row.id === "gpt-4.1-nano" ? { ...row, replacement } : row,
      );
    const hintOf = (replacement: string) => {
      const channels = new Channels(
        { ...CATALOG, findModel, listModels: rows(replacement) },
        new Map(),
      );
      channels.replace([OWN]);
      return channels.retiredFor(KEY, "gpt-4.1-nano");
    };

    expect(hintOf("gpt-4o-mini")).toEqual({ since: "2026-10-23", successor: "gpt-4o-mini" });
    expect(hintOf("gpt-nobody-has")).toEqual({ since: "2026-10-23", successor: "gpt-5.4-nano" });
  });

  test("gives its traits, but not its retirement, to a model declared as alike", () => {
    const models = { kind: "listed", upstreamNames: new Map([["mine", "mine"]]) } as const;
    const own = new Map([["mine", { like: "gpt-4.1-nano" }]]);
    const channels = new Channels({ ...CATALOG, findModel, listModels }, own);
    channels.replace([aChannel({ baseUrl: "https://gateway.example/v1", models })]);

    const { traits } = channels.describe(KEY, "mine") ?? {};
    expect(traits?.contextTokens).toBe(findModel("openai", "gpt-4.1-nano")?.contextTokens);
    expect(traits).not.toHaveProperty("retiresAt");
  });

  test("is unknown to a key that may not use it", () => {
    const key = { ...KEY, models: ["gpt-4o*"] };

    expect(refusalOf([OWN], "sora-2", key)).toBe("The model 'sora-2' does not exist.");
    const narrow = { ...KEY, models: ["gpt-4o*", "gpt-4.1-nano"] };
    expect(refusalOf([OWN], "gpt-4.1-nano", narrow)).toEndWith("is 'gpt-4o-mini'.");
  });

  test("is served if the vendor's own list contains it", () => {
    expect(refusalOf([OWN], "gpt-4.1-nano", KEY, ["gpt-4.1-nano"])).toBe("served, listed");
    expect(refusalOf([OWN], "sora-2", KEY, ["gpt-4.1-nano"])).toContain("stopped serving it");
  });

  test("is served if a channel lists it, and at another address", () => {
    const models = { kind: "listed", upstreamNames: new Map([["sora-2", "sora-2"]]) } as const;
    const elsewhere = aChannel({ baseUrl: "https://gateway.example/v1" });

    expect(refusalOf([{ ...OWN, models }], "sora-2")).toBe("served, listed");
    expect(refusalOf([{ ...elsewhere, models }], "sora-2")).toBe("served, listed");
    expect(refusalOf([OWN, elsewhere], "sora-2")).toBe("served, listed");
  });
});

describe("the facts of a channel's models", () => {
  const PRICE = { input: 1, output: 2, source: "test", date: "2026-01-01" };
  const OTHER = { ...PRICE, input: 3 };
  const OWN = { ...PRICE, input: 5 };
  const models = new Map<string, Model>([
    ["thinker", { ...THINKER, price: PRICE }],
    ["thinker-2", { ...THINKER, id: "thinker-2", price: OTHER, createdAt: 7 }],
    ["alias-of-2", { ...THINKER, id: "thinker-2", price: OTHER }],
    ["alias-of-1", { ...THINKER, price: PRICE }],
  ]);
  const catalog: Catalog = { ...CATALOG, findModel: (_, id) => models.get(id) };
  const listing = (more: Partial<Channel> = {}): Channel =>
    aChannel({
      provider: "openai-compatible",
      models: { kind: "listed", upstreamNames: new Map([["mine", "thinker"]]) },
      ...more,
    });
  const open = (overrides: readonly (readonly [string, ModelOverride])[] = []): Channels => {
    const channels = new Channels(catalog, new Map(overrides));
    channels.replace([listing()]);
    return channels;
  };
  const priceOf = (channels: Channels, model: string, name = "mine"): unknown =>
    channels.find(name)?.[0]?.priceOf?.(model);

  test("include the price of another model of the vendor, and none for the same one", () => {
    expect(priceOf(open(), "thinker-2")).toBe(OTHER);
    expect(priceOf(open(), "thinker")).toBeUndefined();
    expect(priceOf(open(), "alias-of-1")).toBeUndefined();
    expect(priceOf(open(), "unknown")).toBeUndefined();
  });

  test("include the operator's price of another model, by any of its names", () => {
    expect(priceOf(open([["thinker-2", { price: OWN }]]), "thinker-2")).toBe(OWN);
    expect(priceOf(open([["thinker-2", { price: OWN }]]), "alias-of-2")).toBe(OWN);
    expect(priceOf(open([["alias-of-2", { price: OWN }]]), "alias-of-2")).toBe(OWN);
    expect(priceOf(open([["thinker-2", { contextTokens: 5 }]]), "thinker-2")).toBe(OTHER);
  });

  test("include no vendor's price for the operator's own server", () => {
    const channels = open();
    channels.replace([listing({ provider: "ollama" })]);

    expect(priceOf(channels, "thinker-2")).toBeUndefined();
    expect(channels.find("mine")?.[0]?.price).toBeUndefined();
  });

  test("show whether the price is the operator's", () => {
    expect(open().find("mine")?.[0]).not.toHaveProperty("hasOwnPrice");
    const own = open([["mine", { price: OWN }]]).find("mine")?.[0];
    expect(own).toMatchObject({ price: OWN, hasOwnPrice: true });
    expect(open([["mine", { contextTokens: 5 }]]).find("mine")?.[0]).not.toHaveProperty(
      "hasOwnPrice",
    );
  });

  test("follow the operator's entries as soon as they change", () => {
    const channels = open([["mine", { price: OWN, limits: { requestsPerMinute: 5 } }]]);
    expect(channels.hasLimits).toBe(true);

    channels.replace([listing()], new Map([["mine", { price: OTHER }]]));
    channels.replace([listing()]);

    expect(channels.find("mine")?.[0]?.price).toBe(OTHER);
    expect(channels.hasLimits).toBe(false);
    expect(new Channels(catalog, new Map()).hasLimits).toBe(false);
  });

  test("are found by the upstream's name on a channel with one, and by the model's name elsewhere", () => {
    const channels = open();

    expect(channels.candidateOn(listing(), "mine").upstreamModel).toBe("thinker");
    expect(channels.candidateOn(listing(), "other").upstreamModel).toBe("other");
    expect(
      channels.candidateOn(listing({ models: { kind: "discover" } }), "mine").upstreamModel,
    ).toBe("mine");
  });

  test("are the catalogue's under the upstream name of the channel", () => {
    const upstreamNames = new Map([["mine", "us.anthropic.thinker-v1:0"]]);
    const rows = new Map([["thinker", { ...THINKER, price: PRICE, createdAt: 9 }]]);
    const known = new Channels({ ...CATALOG, findModel: (_, id) => rows.get(id) }, new Map());
    known.replace([listing({ provider: "bedrock", models: { kind: "listed", upstreamNames } })]);

    expect(known.find("mine")?.[0]?.price).toBe(PRICE);
    expect(known.describe(KEY, "mine")?.createdAt).toBe(9);
  });

  test("are its family's for a model declared as alike", () => {
    const family = (id: string) => (id === "like-a-thinker" ? { contextTokens: 77 } : undefined);
    const overrides = new Map([["mine", { like: "like-a-thinker" }]]);
    const known = new Channels({ ...CATALOG, findFamily: family as never }, overrides);
    known.replace([listing()]);

    expect(known.describe(KEY, "mine")?.traits.contextTokens).toBe(77);
  });

  test("include the counting parameters, even without other facts of the family", () => {
    const counting = {};
    const known = new Channels({ ...CATALOG, findCounting: () => counting }, new Map());
    known.replace([listing()]);

    expect(known.describe(KEY, "mine")?.traits.counting).toBe(counting);
  });

  test("are not available for an unknown provider", () => {
    expect(() => open().candidateOn(listing({ provider: "nobody" }), "mine")).toThrow(
      "No provider is called 'nobody'.",
    );
  });

  test("are cached until the channel's address changes", () => {
    const discovering = listing({ models: { kind: "discover" } });
    const moved = { ...discovering, baseUrl: "https://elsewhere.example/v1" };
    const channels = open();
    channels.replace([discovering]);
    channels.discovered(discovering, [{ id: "found", traits: {} }]);
    channels.replace([discovering]);
    expect(channels.find("found")).toHaveLength(1);

    channels.replace([moved]);
    channels.replace([discovering]);

    expect(channels.find("found")).toBeUndefined();
  });

  test("have the date of the catalogue, or else of the vendor's list", () => {
    const discovering = listing({ models: { kind: "discover" } });
    const channels = open();
    channels.replace([discovering]);
    channels.discovered(discovering, [
      { id: "thinker-2", traits: {}, createdAt: 1 },
      { id: "found", traits: {}, createdAt: 2 },
    ]);

    expect(channels.describe(KEY, "thinker-2")?.createdAt).toBe(7);
    expect(channels.describe(KEY, "found")?.createdAt).toBe(2);
  });
});

describe("the nearest known name to an unknown one", () => {
  const serving = (...names: readonly string[]): Channels => {
    const upstreamNames = new Map(names.map((name) => [name, name]));
    const channels = new Channels(CATALOG, new Map());
    channels.replace([
      aChannel({ provider: "openai-compatible", models: { kind: "listed", upstreamNames } }),
    ]);
    return channels;
  };

  test("differs in at most a quarter of the characters, and in at most three", () => {
    expect(serving("abcdefgh").nearestTo(KEY, "abcdefgx")).toBe("abcdefgh");
    expect(serving("abcdefgh").nearestTo(KEY, "ABCDEFXX")).toBe("abcdefgh");
    expect(serving("abcdefgh").nearestTo(KEY, "abcdexxx")).toBeUndefined();
    expect(serving("abc").nearestTo(KEY, "abx")).toBeUndefined();
    const long = "abcdefghijklmnopqrstuvwx";
    expect(serving(long).nearestTo(KEY, `${long.slice(0, -3)}---`)).toBe(long);
    expect(serving(long).nearestTo(KEY, `${long.slice(0, -4)}----`)).toBeUndefined();
  });

  test("is the nearest that the key may use, in any order", () => {
    for (const names of [
      ["model-one-a", "model-one-bc"],
      ["model-one-bc", "model-one-a"],
    ]) {
      expect(serving(...names).nearestTo(KEY, "model-one-x")).toBe("model-one-a");
      const key = { ...KEY, models: ["model-one-bc"] };
      expect(serving(...names).nearestTo(key, "model-one-x")).toBe("model-one-bc");
      expect(serving(...names).nearestTo({ ...KEY, models: [] }, "model-one-x")).toBeUndefined();
    }
  });
});

describe("the models of a vendor's own address", () => {
  const row = (id: string, more: Partial<Model> = {}): Model => ({
    ...THINKER,
    id,
    owner: "openai",
    suffixes: [],
    ...more,
  });
  const OLD = row("old-model", { retired: "2026-01-01" });
  /** Keys may use these alone, whatever else the vendor is known to have. */
  const serving = (...rows: readonly Model[]) => {
    const catalog: Catalog = {
      ...CATALOG,
      findModel: (_, id) =>
        rows.find(({ id: own, aliases = [] }) => own === id || aliases.includes(id)),
      listModels: (provider) => (provider === "openai" ? rows : []),
    };
    const channels = new Channels(catalog, new Map());
    channels.replace([aChannel({ baseUrl: "" })]);
    const names = rows.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
    const key = { ...KEY, models: names };
    return {
      channels,
      nearestTo: (name: string) => channels.nearestTo(key, name),
      successorOf: (name: string) => channels.retiredFor(key, name)?.successor,
    };
  };

  test("are suggested by their listed names only, if a name is misspelt", () => {
    const { nearestTo } = serving(row("current-name", { aliases: ["earlier-name"] }));

    expect(nearestTo("current-namx")).toBe("current-name");
    expect(nearestTo("earlier-namx")).toBeUndefined();
  });

  test("replace a retired one by the nearest of the same maker, even if another maker's is nearer", () => {
    const { successorOf } = serving(
      OLD,
      row("old-model-2", { owner: "another" }),
      row("something-else-entirely"),
      row("another-new-model"),
    );

    expect(successorOf("old-model")).toBe("another-new-model");
  });

  test("replace a retired one by another maker's only if its maker has none", () => {
    const { successorOf } = serving(OLD, row("new-model", { owner: "another" }));

    expect(successorOf("old-model")).toBe("new-model");
    expect(serving(OLD).successorOf("old-model")).toBeUndefined();
  });

  test("replace a retired one by the first of two that are equally near", () => {
    const { successorOf } = serving(OLD, row("old-model-1"), row("old-model-2"));

    expect(successorOf("old-model")).toBe("old-model-1");
  });

  test("replace a retired one under a listed name", () => {
    const { successorOf } = serving(OLD, row("the-newest", { aliases: ["old-model-latest"] }));

    expect(successorOf("old-model")).toBe("the-newest");
  });

  test("are retired under the vendor's prefix, too, and under a name with a slash", () => {
    const { successorOf } = serving(OLD, row("team/old", { retired: "2026-01-01" }), row("new"));

    expect(successorOf("team/old")).toBe("new");
    expect(serving(OLD, row("new")).channels.retiredFor(KEY, "openai/old-model")?.since).toBe(
      "2026-01-01",
    );
  });
});

test("a vendor that is reached through a library serves the catalogue's text models only", () => {
  const chat: Model = { ...THINKER, id: "talker" };
  const pictures: Model = { ...THINKER, id: "painter", kind: "image" };
  const catalog: Catalog = { ...CATALOG, listModels: () => [chat, pictures] };
  const channels = new Channels(catalog, new Map());
  channels.replace([aChannel({ provider: "bedrock" })]);

  expect(channels.find("talker")).toHaveLength(1);
  expect(channels.find("painter")).toBeUndefined();
});

describe("a name that no model has", () => {
  const channels = new Channels(CATALOG, new Map());
  const upstreamNames = new Map([["plain", "plain"]]);
  channels.replace([aChannel({ models: { kind: "listed", upstreamNames } })]);

  test.each(["plain-thinking", "modelsx", "models", "plai", "/plain", "models/", "another/plain"])(
    "is not found: %s",
    (name) => {
      expect(channels.find(name)).toBeUndefined();
    },
  );
});
