import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { costOf, writeUsd, type Rates } from "#core/money.ts";
import { writeRate, writeRates } from "#core/rate-words.ts";
import { expectedUsage, type TaskFacts } from "#core/video.ts";
import { parseCatalogFile } from "./catalog-file.ts";
import { findModel, type KnownModel, listModels, SHIPPED, SHIPPED_FILES } from "./index.ts";

const PROVIDERS = readdirSync(import.meta.dir)
  .filter((name) => name.endsWith(".json"))
  .map((name) => name.replace(".json", ""));
const ALL = PROVIDERS.flatMap((provider) => listModels(provider));

test("every data file is part of the catalogue, under the provider of its name", () => {
  expect(PROVIDERS.length).toBeGreaterThanOrEqual(15);
  for (const provider of PROVIDERS) {
    expect(listModels(provider).length).toBeGreaterThan(0);
    expect(wrong(listModels(provider), (model) => model.owner === provider)).toEqual([]);
  }
});

test("every data file is valid", () => {
  expect<number>(SHIPPED.length).toBe(PROVIDERS.length);
  expect(SHIPPED.map(parseCatalogFile)).toEqual([...SHIPPED_FILES]);
});

test("a provider never lists an id or an alias twice", () => {
  for (const provider of PROVIDERS) {
    const ids = listModels(provider).flatMap((model) => [model.id, ...model.aliases]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  }
});

test("a model is found under its provider by its id and by each alias", () => {
  for (const model of ALL) {
    for (const id of [model.id, ...model.aliases]) expect(findModel(model.owner, id)).toBe(model);
  }
});

test("a dated id is the model that it dates, not another model with the same prefix", () => {
  expect(findModel("openai", "gpt-4o-mini-2024-07-18")?.id).toBe("gpt-4o-mini");
  expect(findModel("openai", "gpt-4o-2024-05-13")?.id).toBe("gpt-4o-2024-05-13");
  expect(findModel("openai", "gpt-4o-mini-2099-01-01")).toBeUndefined();
});

test("a provider that does not list a model uses the original vendor's row before a host's", () => {
  expect(findModel("openai-compatible", "gpt-4o-mini")?.owner).toBe("openai");
  expect(findModel("nobody", "deepseek-v4-pro")?.owner).toBe("deepseek");
  expect(findModel("nobody", "openai/gpt-oss-120b")?.owner).toBe("groq");
});

test("the same id may have different prices at two providers", () => {
  const atGroq = findModel("groq", "openai/gpt-oss-120b")?.price;
  const atOpenrouter = findModel("openrouter", "openai/gpt-oss-120b")?.price;

  expect(atGroq?.input).toBe(150_000);
  expect(atOpenrouter?.input).toBe(30_000);
});

test("an unknown model is not found, and an unknown provider lists nothing", () => {
  expect(findModel("openai", "no-such-model")).toBeUndefined();
  expect(findModel("openai", "constructor")).toBeUndefined();
  expect(findModel("openai", "GPT-4O-MINI")).toBeUndefined();
  expect(listModels("no-such-provider")).toEqual([]);
});

test("a cached token never costs more than an uncached one", () => {
  expect(
    wrong(
      ALL,
      everyRate((rates) => (rates.cachedInput ?? 0) <= rates.input),
    ),
  ).toEqual([]);
});

test("a cache write costs at least the input rate and at most twice the rate", () => {
  const isSane = ({ input, cacheWrite = input }: Rates) =>
    cacheWrite >= input && cacheWrite <= 2 * input;

  expect(wrong(ALL, everyRate(isSane))).toEqual([]);
});

test("an output token costs at least as much as an input token, except without text output", () => {
  const isSane = (model: KnownModel) =>
    model.kind === "embedding" || model.kind === "rerank"
      ? (model.price?.output ?? 0) === 0
      : everyRate((rates) => rates.output >= rates.input)(model);

  expect(wrong(ALL, isSane)).toEqual([]);
});

test("longer inputs never cost less", () => {
  const climbs = ({ price }: KnownModel) => {
    const steps: Rates[] = price === undefined ? [] : [price, ...(price.tiers ?? [])];
    return steps.every((step, index) => {
      const before = steps[index - 1];
      return before === undefined || (step.input >= before.input && step.output >= before.output);
    });
  };

  expect(wrong(ALL, climbs)).toEqual([]);
});

test("no price is wrong by a factor of a thousand", () => {
  // The dearest model sold costs $150 and $600 per million tokens.
  const isSane = ({ input, output }: Rates) => input <= 150_000_000 && output <= 600_000_000;
  // In pico-dollars: a dollar a picture or a second, a cent more than any search.
  const isCheap = ({ image = 0, second = 0, search = 0, character = 0 }: Partial<Rates>) =>
    image <= 1e12 && second <= 1e12 && search <= 35_000_000_000 && character <= 300_000_000;

  expect(wrong(ALL, everyRate(isSane))).toEqual([]);
  expect(wrong(ALL, everyRate(isCheap))).toEqual([]);
  expect(wrong(ALL, ({ price }) => Object.values(price?.grades ?? {}).every(isCheap))).toEqual([]);
});

test("only models that their vendor offers for free are free", () => {
  const free = ALL.filter(
    ({ price }) => price !== undefined && writeRates(price).every(({ written }) => written === "0"),
  );

  expect(free.map(({ id }) => id).toSorted()).toEqual([
    "glm-4.5-flash",
    "glm-4.7-flash",
    "omni-moderation-latest",
  ]);
});

test("a chat model has a price, unless its vendor publishes none in dollars", () => {
  const unpriced = ALL.filter((model) => model.kind === "chat" && model.price === undefined);

  expect([...new Set(unpriced.map((model) => model.owner))]).toEqual(["ark"]);
});

test("audio rates exist only for models with audio", () => {
  const isSane = ({ price, input, output }: KnownModel) =>
    (price?.audioInput === undefined || input.includes("audio")) &&
    (price?.audioOutput === undefined || output.includes("audio"));

  expect(wrong(ALL, isSane)).toEqual([]);
});

test("image rates exist only for models with images or video", () => {
  const isSane = ({ price, input, output }: KnownModel) =>
    (price?.imageInput === undefined || input.includes("image")) &&
    (price?.imageOutput === undefined || output.includes("image") || output.includes("video")) &&
    (price?.image === undefined || output.includes("image"));

  expect(wrong(ALL, isSane)).toEqual([]);
});

test("seconds and characters are priced only for models with audio or video", () => {
  const isSane = ({ kind, price }: KnownModel) =>
    (price?.character === undefined || kind === "speech") &&
    (price?.second === undefined || ["transcription", "speech", "video"].includes(kind));

  expect(wrong(ALL, isSane)).toEqual([]);
});

test("every release date is between the first model on sale and today", () => {
  const first = Date.UTC(2022, 10, 1) / 1000;
  const today = Date.now() / 1000;

  expect(wrong(ALL, ({ createdAt = 0 }) => createdAt >= first && createdAt <= today)).toEqual([]);
});

test("no price was read before its model's release, or in the future", () => {
  const isSane = ({ price, createdAt = Infinity }: KnownModel) =>
    price === undefined ||
    (Date.parse(price.date) / 1000 >= createdAt && Date.parse(price.date) <= Date.now());

  expect(wrong(ALL, isSane)).toEqual([]);
});

test("no chat model's output limit exceeds its context window", () => {
  const fits = ({ kind, contextTokens = Infinity, maxOutputTokens = 0 }: KnownModel) =>
    kind !== "chat" || maxOutputTokens <= contextTokens;

  expect(wrong(ALL, fits)).toEqual([]);
});

test("a reasoning model has both of its reasoning fields", () => {
  const agrees = ({ reasoning, reasoningControls }: KnownModel) =>
    reasoning === (reasoningControls !== undefined);

  expect(wrong(ALL, agrees)).toEqual([]);
});

/** What a video of so many seconds costs, in dollars. */
function videoCost(provider: string, model: string, facts: Partial<TaskFacts>): string {
  const price = findModel(provider, model)?.price;
  return price === undefined
    ? "none"
    : writeUsd(costOf(expectedUsage({ scenario: "text", ...facts }, {}), price));
}

test.each([
  ["openai", "sora-2", { seconds: 4, size: "720x1280" }, "0.4"],
  ["openai", "sora-2-pro", { seconds: 4, size: "1280x720" }, "1.2"],
  ["openai", "sora-2-pro", { seconds: 4, size: "1792x1024" }, "2"],
  ["gemini", "veo-3.1-generate-001", { seconds: 8, resolution: "1080p", audio: true }, "3.2"],
  ["gemini", "veo-3.1-generate-001", { seconds: 8, resolution: "1080p", audio: false }, "1.6"],
  ["gemini", "veo-3.1-fast-generate-preview", { seconds: 8, resolution: "4k", audio: true }, "2.4"],
  ["kling", "kling-v3", { seconds: 5, resolution: "720p", audio: true }, "0.63"],
  ["kling", "kling-3.0", { seconds: 5, resolution: "1080p", audio: false }, "0.56"],
  ["vidu", "viduq3-pro", { seconds: 5, resolution: "1080p", audio: true }, "0.8"],
  ["minimax", "MiniMax-H3", { seconds: 5, resolution: "2k" }, "0.65"],
  ["minimax", "MiniMax-Hailuo-02", { seconds: 6, resolution: "768p" }, "0.28"],
  ["minimax", "MiniMax-Hailuo-02", { seconds: 10, resolution: "768p" }, "0.56"],
  ["minimax", "MiniMax-Hailuo-2.3", { seconds: 6, resolution: "1080p" }, "0.49"],
  ["dashscope", "wan2.7-t2v", { seconds: 5, resolution: "720p", audio: true }, "0.43006"],
  ["dashscope", "wan2.5-t2v-preview", { seconds: 5, resolution: "480p" }, "0.25"],
  ["dashscope", "wan2.6-i2v-flash", { seconds: 5, resolution: "720p", audio: true }, "0.21503"],
  ["dashscope", "wan2.6-i2v-flash", { seconds: 5, resolution: "720p" }, "0.107515"],
  ["dashscope", "wan2.2-t2v-plus", { seconds: 5, resolution: "1080p" }, "0.501735"],
  ["dashscope", "wan2.2-i2v-flash", { seconds: 5, resolution: "480p" }, "0.071675"],
  ["dashscope", "wanx2.1-t2v-turbo", { seconds: 5, resolution: "480p" }, "0.172025"],
  ["kling", "kling-v1-6", { seconds: 5, resolution: "720p" }, "0.28"],
  ["kling", "kling-v1-6", { seconds: 5, resolution: "1080p" }, "0.49"],
  ["kling", "kling-v1", { seconds: 10, resolution: "720p" }, "0.28"],
  ["kling", "kling-v2-1-master", { seconds: 5, resolution: "1080p" }, "1.4"],
  ["vidu", "viduq2", { seconds: 5, resolution: "720p", audio: true }, "0.175"],
  ["vidu", "viduq2", { seconds: 8, resolution: "1080p" }, "0.45"],
  ["vidu", "viduq2-pro", { seconds: 5, resolution: "1080p" }, "0.575"],
  ["vidu", "viduq2-turbo", { seconds: 1, resolution: "720p" }, "0.04"],
  ["vidu", "viduq2-turbo", { seconds: 4, resolution: "720p" }, "0.15"],
  ["vidu", "viduq2-pro-fast", { seconds: 3, resolution: "720p" }, "0.06"],
  ["vidu", "vidu2.0", { seconds: 4, resolution: "360p" }, "0.1"],
  ["vidu", "vidu2.0", { seconds: 8, resolution: "720p" }, "0.5"],
  ["vidu", "vidu1.5", { seconds: 4, resolution: "1080p" }, "1"],
  ["minimax", "MiniMax-Hailuo-2.3-Fast", { seconds: 6, resolution: "768p" }, "0.19"],
  ["minimax", "MiniMax-Hailuo-2.3-Fast", { seconds: 10, resolution: "768p" }, "0.32"],
  ["minimax", "MiniMax-Hailuo-02", { seconds: 6, resolution: "512p" }, "0.1"],
  ["minimax", "S2V-01", { seconds: 6, resolution: "720p" }, "0.65"],
  ["ark", "doubao-seedance-1-0-lite-t2v-250428", { seconds: 5, resolution: "720p" }, "0.1944"],
  ["ark", "doubao-seedance-2-0-260128", { seconds: 5, resolution: "720p" }, "0.709714332"],
  ["ark", "doubao-seedance-1-5-pro-251215", { seconds: 5, resolution: "720p" }, "0.1296"],
  [
    "ark",
    "doubao-seedance-1-5-pro-251215",
    { seconds: 5, resolution: "720p", audio: true },
    "0.2592",
  ],
] as const)("a video of %s's %s %j costs $%s", (provider, model, facts, cost) => {
  expect(videoCost(provider, model, facts)).toBe(cost);
});

test("a video is charged either by its length or by the vendor's tokens", () => {
  const isSane = ({ kind, price }: KnownModel) =>
    kind !== "video" || price === undefined || (price.second ?? 0) > 0 !== price.output > 0;

  expect(wrong(ALL, isSane)).toEqual([]);
});

/** Names those who fail, so that a failing test says which row to look at. */
function wrong(models: readonly KnownModel[], holds: (model: KnownModel) => boolean): string[] {
  return models.filter((model) => !holds(model)).map((model) => `${model.owner} ${model.id}`);
}

function everyRate(holds: (rates: Rates) => boolean): (model: KnownModel) => boolean {
  return ({ price }) => price === undefined || [price, ...(price.tiers ?? [])].every(holds);
}

describe("models of autumn 2026 are known with their prices", () => {
  test.each<[string, string, ...string[]]>([
    ["openai", "gpt-6-astra", "10", "1", "12.5", "25", "50"],
    ["openai", "gpt-6-sol", "2", "0.2", "2.5", "5", "10"],
    ["openai", "gpt-6-luna", "0.1", "0.01", "0.125", "0.25", "0.5"],
    ["openai", "gpt-6.1-sol", "2", "0.1", "2.5", "5", "10"],
    ["openai", "gpt-6.1-terra", "1", "0.05", "1.25", "2.5", "5"],
    ["openai", "gpt-6-rosalind", "15", "1.5", "18.75", "37.5", "75"],
    ["openai", "gpt-5.6-sol", "4", "0.4", "5", "10", "20"],
    ["openai", "gpt-5.6-terra", "2", "0.2", "2.5", "5", "12"],
    ["openai", "gpt-5.6-luna", "0.2", "0.02", "0.25", "0.5", "1.2"],
    ["anthropic", "claude-fable-5-1", "10", "0.25", "12.5", "20", "50"],
    ["anthropic", "claude-mythos-5-1", "10", "0.25", "12.5", "20", "50"],
    ["anthropic", "claude-opus-5-5", "4", "0.2", "5", "8", "20"],
    ["anthropic", "claude-sonnet-5-5", "2", "0.1", "2.5", "4", "10"],
    ["anthropic", "claude-haiku-5-5", "0.1", "0.01", "0.125", "0.2", "0.5"],
  ])("%s %s: input %s, cached %s, written %s, for long %s, output %s", (provider, id, ...rates) => {
    const price = findModel(provider, id)?.price;
    const { input, cachedInput, cacheWrite, longCacheWrite, output } = price ?? {};

    expect(
      [input, cachedInput, cacheWrite, longCacheWrite, output].map((rate) =>
        writeRate(rate ?? 0, "million"),
      ),
    ).toEqual(rates);
  });

  test.each(["gpt-image-2.5-sunburst", "gpt-image-2.5-flare"])("%s costs by tokens", (id) => {
    expect(findModel("openai", id)?.price).toMatchObject({
      input: 5_000_000,
      cachedInput: 1_250_000,
      imageInput: 8_000_000,
      output: 30_000_000,
    });
  });

  test.each([
    ["anthropic", "claude-sonnet-4-5", undefined, "2026-11-30"],
    ["gemini", "veo-3.1-generate-preview", "2026-10-22", "2026-10-22"],
    ["gemini", "gemini-omni-flash-preview", "2026-10-22", "2026-10-22"],
    ["openai", "sora-2", "2026-09-24", "2026-09-24"],
    ["openai", "gpt-4.1-nano", "2026-10-23", "2026-10-23"],
    ["deepseek", "deepseek-chat", "2026-07-24", "2026-07-24"],
    ["deepseek", "deepseek-reasoner", "2026-07-24", "2026-07-24"],
    ["xai", "grok-4", "2026-05-15", "2026-05-15"],
    ["xai", "grok-code-fast-1", "2026-05-15", "2026-05-15"],
  ])("%s %s ended or ends: %p, %p", (provider, id, retired, end) => {
    const model = findModel(provider, id);

    expect([model?.retired, model?.retiresAt]).toEqual([retired, Date.parse(end) / 1_000]);
  });

  test.each([
    ["gemini-3.5-flash", "gemini-3.6-flash"],
    ["gemini-3.7-flash", "gemini-3.8-flash"],
  ])("%s is another name of %s", (alias, id) => {
    expect(findModel("gemini", alias)?.id).toBe(id);
  });

  test.each([
    ["deepseek", "deepseek-chat", 393_216, "deepseek-flash"],
    ["xai", "grok-4", 256_000, "grok-4.3"],
    ["xai", "grok-4.7", 500_000, undefined],
    ["mistral", "codestral-2508", 256_000, undefined],
  ])("%s %s writes at most %p tokens, and is replaced by %p", (provider, id, most, successor) => {
    const model = findModel(provider, id);

    expect([model?.maxOutputTokens, model?.replacement]).toEqual([most, successor]);
  });

  test("every chat model has a limit or a context", () => {
    const unlimited = ALL.filter(
      ({ kind, contextTokens, maxOutputTokens }) =>
        kind === "chat" && contextTokens === undefined && maxOutputTokens === undefined,
    );

    expect(unlimited.map(({ id }) => id)).toEqual([]);
  });

  test("a model whose price no source names has none", () => {
    expect(findModel("gemini", "gemini-4-neon")?.price).toBeUndefined();
  });
});
