import { expect, test } from "bun:test";
import { costOf } from "#core/money.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { parseUsage as readMessages } from "#styles/text/messages/usage.ts";
import { parseUsage as readNative } from "#styles/text/gemini/usage.ts";
import { parseUsage as readResponses } from "#styles/text/responses/usage.ts";
import { usageIn } from "#styles/text/chat/usage.ts";
import { SHARED, withShared } from "#test/shared.ts";
import { z } from "zod";
import { listModels } from "./index.ts";

/**
 * Usage blocks as vendors wrote them, each with a price somebody else computed
 * from their own reading of it and their own price list: an oracle for the
 * figures here, for how the styles read usage, and for the cost function. It
 * is not part of the repository.
 */
const ORACLE = `${SHARED}/catalog/genai-prices.usages.json`;

/** The oracle's names of the providers whose price lists both know, and ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  anthropic: "anthropic",
  deepseek: "deepseek",
  fireworks: "fireworks",
  google: "gemini",
  groq: "groq",
  mistral: "mistral",
  moonshotai: "moonshot",
  openai: "openai",
  openrouter: "openrouter",
  together: "together",
  "x-ai": "xai",
  zhipuai: "zhipu",
};

const recording = z.object({
  model: z.string().nullish(),
  body: z.custom<JsonObject>((value) => typeof value === "object" && value !== null),
  extracted: z.array(
    z.object({
      extractors: z.array(
        z.object({
          provider_id: z.string(),
          api_flavor: z.string(),
          input_price: z.string().optional(),
          output_price: z.string().optional(),
        }),
      ),
    }),
  ),
});

/** Where the two lists differ, in how many calls and why. Everything else is equal to the nano-dollar. */
const DIFFERENCES: Readonly<Record<string, { calls: number; why: string }>> = {
  "anthropic claude-sonnet-4-6": { calls: 2, why: "theirs leaves out what compaction took" },
  "anthropic claude-sonnet-5": { calls: 3, why: "theirs leaves out what another model advised" },
  "deepseek deepseek-flash": { calls: 3, why: "theirs is the price before there were peak hours" },
  "deepseek deepseek-reasoner": { calls: 1, why: "theirs is the model before V4 had this name" },
  "gemini gemini-2.5-flash": { calls: 2, why: "cached audio has a rate of its own, ours has none" },
  "gemini gemini-3.6-flash": { calls: 1, why: "theirs is gemini-3.5-flash, which it serves since" },
  "mistral ministral-8b-2512": { calls: 1, why: "theirs prices every version of it alike" },
  "mistral mistral-large-2512": { calls: 13, why: "theirs is the model that had this name before" },
  "mistral mistral-small-2603": { calls: 3, why: "theirs is the model that had this name before" },
  "openai gpt-5.6-sol": { calls: 13, why: "theirs is the price of July, which was cut since" },
  "openrouter openai/gpt-oss-120b": { calls: 13, why: "a floating price, read at another time" },
  "zhipu glm-4.7": { calls: 5, why: "theirs is the mainland list, in yuan" },
  "zhipu glm-5.2": { calls: 1, why: "theirs is the mainland list, in yuan" },
};

withShared("catalog", () => {
  test("recorded calls cost the same as by an independent price list", async () => {
    const calls = pricedCalls(z.array(recording).parse(await Bun.file(ORACLE).json()));
    const differing = calls.filter((call) => call.ours !== call.theirs);
    process.stdout.write(
      `Billing oracle: ${calls.length} calls compared, ${calls.length - differing.length} equal, ` +
        `${differing.length} differ for known reasons.\n`,
    );

    expect(calls.length).toBeGreaterThan(1_000);
    expect(countsByModel(differing)).toEqual(
      Object.fromEntries(Object.entries(DIFFERENCES).map(([model, { calls }]) => [model, calls])),
    );
  });

  test("the recordings include blocks of every format and all kinds of tokens but one", async () => {
    const calls = pricedCalls(z.array(recording).parse(await Bun.file(ORACLE).json()));
    const count = (holds: (call: PricedCall) => boolean): number => calls.filter(holds).length;

    expect(count(({ format }) => format === "chat")).toBeGreaterThan(300);
    expect(count(({ format }) => format === "messages")).toBeGreaterThan(200);
    expect(count(({ format }) => format === "native")).toBeGreaterThan(400);
    expect(count(({ format }) => format === "responses")).toBeGreaterThan(200);
    expect(count(({ usage }) => usage.cachedInputTokens > 0)).toBeGreaterThan(30);
    expect(count(({ usage }) => usage.cacheWriteTokens > 0)).toBeGreaterThan(5);
    expect(count(({ usage }) => usage.reasoningTokens > 0)).toBeGreaterThan(300);
    expect(count(({ usage }) => usage.audioInputTokens > 0)).toBeGreaterThan(0);
    expect(count(({ usage }) => (usage.imageInputTokens ?? 0) > 0)).toBeGreaterThan(0);
    expect(count(({ usage }) => (usage.imageOutputTokens ?? 0) > 0)).toBeGreaterThan(0);
    expect(count(({ usage }) => (usage.searches ?? 0) > 0)).toBeGreaterThan(0);
    // No recorded answer speaks.
    expect(count(({ usage }) => usage.audioOutputTokens > 0)).toBe(0);
  });
});

interface PricedCall {
  readonly model: string;
  readonly format: Format;
  readonly usage: Usage;
  readonly ours: bigint;
  readonly theirs: bigint;
}

function pricedCalls(recordings: readonly z.infer<typeof recording>[]): PricedCall[] {
  return recordings.flatMap(({ model: id, body, extracted }) =>
    extracted.flatMap(({ extractors }) =>
      extractors.flatMap(({ provider_id, api_flavor, input_price, output_price }) => {
        const provider = PROVIDERS[provider_id];
        const model = knownAs(provider, id);
        if (model?.price === undefined || input_price === undefined || output_price === undefined)
          return [];
        // A chat answer is also read as an embedding's, which drops its output.
        if ((api_flavor === "embeddings") !== (model.kind === "embedding")) return [];
        const format = formatOf(provider_id, api_flavor);
        const usage = READERS[format](body) ?? NO_USAGE;
        return [
          {
            model: `${model.owner} ${model.id}`,
            format,
            usage,
            // Theirs has no price for a search of the web.
            ours: BigInt(
              costOf(
                { ...usage, searches: 0 },
                model.price,
                (name) => knownAs(provider, name)?.price,
              ),
            ),
            theirs: nanoUsdRoundedUp(input_price, output_price),
          },
        ];
      }),
    ),
  );
}

function knownAs(provider: string | undefined, id: string | null | undefined) {
  if (provider === undefined || id === null || id === undefined) return undefined;
  return listModels(provider).find((model) => model.id === id || model.aliases.includes(id));
}

/** How the gateway reads the blocks of each format. */
const READERS = {
  chat: usageIn,
  messages: (body: JsonObject) => readMessages(body["usage"]),
  native: (body: JsonObject) => readNative(body["usageMetadata"]),
  responses: (body: JsonObject) => readResponses(body["usage"]),
};

type Format = keyof typeof READERS;

/** Some providers have but one format, which the oracle calls their default. */
function formatOf(provider: string, flavor: string): Format {
  if (flavor === "responses") return "responses";
  if (provider === "anthropic" && flavor !== "chat") return "messages";
  return provider === "google" && flavor === "default" ? "native" : "chat";
}

function nanoUsdRoundedUp(...dollars: readonly string[]): bigint {
  const pico = dollars.map(picoUsd).reduce((sum, each) => sum + each, 0n);
  return (pico + 999n) / 1_000n;
}

/** "0.0012" or "2E-7" dollars, exactly. */
function picoUsd(dollars: string): bigint {
  const match = /^(\d+)(?:\.(\d+))?(?:E-(\d+))?$/.exec(dollars);
  if (match === null) throw new Error(`Not an amount: ${dollars}`);
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const pico = BigInt(whole + fraction) * 10n ** 12n;
  const divisor = 10n ** BigInt(fraction.length + Number(exponent));
  if (pico % divisor !== 0n) throw new Error(`Finer than a pico-dollar: ${dollars}`);
  return pico / divisor;
}

function countsByModel(calls: readonly PricedCall[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { model } of calls) counts[model] = (counts[model] ?? 0) + 1;
  return counts;
}
