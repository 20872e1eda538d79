import { describe, expect, test } from "bun:test";
import type { Channel } from "#core/channel.ts";
import type { ApiKey } from "#core/key.ts";
import type { Catalog, Model, ModelKind, ModelOverride } from "#core/model.ts";
import { systemClock } from "#lib/clock.ts";
import { Channels } from "./channels.ts";
import { Health } from "./health.ts";
import { Router } from "./route.ts";
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

  test("hold under its other names and its endings, too, and are shared with them", () => {
    const overrides = [["thinker", { limits }]] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
    expect(limitsOn("thinker-thinking", overrides)).toEqual(limited);
  });

  test("of a name go over those of what is behind it", () => {
    const own = { requestsPerMinute: 9 };
    const overrides = [
      ["thinker", { limits }],
      ["alias", { limits: own }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual([{ id: "model:alias", limits: own }]);
  });

  test("hold under a name whose entry says other things of it", () => {
    const overrides = [
      ["thinker", { limits }],
      ["alias", { contextTokens: 9 }],
    ] as const;

    expect(limitsOn("alias", overrides)).toEqual(limited);
  });

  test("are no other model's", () => {
    expect(limitsOn("plain", [["thinker", { limits }]])).toEqual([]);
    expect(limitsOn("unknown", [["thinker", { limits }]])).toEqual([]);
  });
});

describe("until an upstream told its models", () => {
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
    return channels.list(KEY).map(({ id }) => id);
  }

  test.each([
    ["openai", "chat embedding image moderation speech transcription video"],
    ["anthropic", "chat"],
    ["gemini", "chat embedding image video"],
    ["ark", "chat embedding image video"],
    ["dashscope", "chat embedding image rerank video"],
    ["jina", "embedding rerank"],
    ["groq", "chat speech transcription"],
  ])("those of %s are listed that may be asked of it", (provider, kinds) => {
    const listed = listedOf(
      provider,
      KINDS.map((kind) => model(kind, IDS[`${provider} ${kind}`])),
    );

    const expected = kinds.split(" ").map((kind) => IDS[`${provider} ${kind}`] ?? `some-${kind}`);
    expect(listed).toEqual(expected.toSorted());
  });

  test("those are not that no endpoint serves", () => {
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
