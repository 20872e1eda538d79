import { expect, test } from "bun:test";
import { listModels } from "#catalog/index.ts";
import { costOf, priceAt, type Price, type Thousandths } from "#core/money.ts";
import { priceOnChannel } from "#core/price-on-channel.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import { defined } from "#lib/values.ts";
import {
  atto,
  isRecord,
  type Circumstances,
  type CountedCall,
  type PriceEntry,
} from "./oracles/public-price-file.ts";
import { readShared, withShared } from "./shared.ts";

/** Providers by their ids here, and how the list begins their models' names. */
const PREFIXES: Readonly<Record<string, string>> = {
  openai: "",
  anthropic: "",
  gemini: "gemini/",
  deepseek: "deepseek/",
  mistral: "mistral/",
  xai: "xai/",
  moonshot: "moonshot/",
  zhipu: "zai/",
  dashscope: "dashscope/",
  minimax: "minimax/",
  groq: "groq/",
};

const AT = Date.parse("2026-11-23T12:00:00Z");
const PEAK = Date.parse("2026-11-23T02:00:00Z");

const EMPTY: CountedCall = {
  input: 0,
  cached: 0,
  written: 0,
  writtenLong: 0,
  audioIn: 0,
  output: 0,
  audioOut: 0,
  searches: 0,
};

const CALLS: Readonly<Record<string, CountedCall>> = {
  plain: { ...EMPTY, input: 1_234, output: 567 },
  long: { ...EMPTY, input: 300_001, output: 567 },
  cached: { ...EMPTY, input: 10_000, cached: 9_001, output: 3 },
  "long cached": { ...EMPTY, input: 300_001, cached: 299_001, output: 3 },
  written: { ...EMPTY, input: 10_000, written: 9_001, output: 3 },
  "written for long": { ...EMPTY, input: 10_000, written: 9_001, writtenLong: 9_001, output: 3 },
  "long written for long": {
    ...EMPTY,
    input: 300_001,
    written: 9_001,
    writtenLong: 9_001,
    output: 3,
  },
  heard: { ...EMPTY, input: 1_000, audioIn: 900, output: 3 },
  spoken: { ...EMPTY, input: 1_000, output: 300, audioOut: 290 },
  searched: { ...EMPTY, input: 1_000, output: 3, searches: 2 },
};

const WAYS: Readonly<Record<string, Circumstances>> = {
  usual: { at: AT },
  "at the peak": { at: PEAK },
  flex: { at: AT, tier: "flex" },
  priority: { at: AT, tier: "priority" },
  batch: { at: AT, tier: "batches" },
  ultrafast: { at: AT, tier: "ultrafast" },
  fast: { at: AT, fast: true },
  "in the US": { at: AT, region: "us" },
  "in the EU": { at: AT, region: "eu" },
  "fast in the US": { at: AT, region: "us", fast: true },
};

interface Difference {
  readonly models: RegExp;
  /** Names of `CALLS` and of `WAYS`; all ways if absent. */
  readonly calls: readonly string[];
  readonly ways?: readonly string[];
  readonly why: string;
}

/** Where the two differ, and why. Everything else is equal to the nano-dollar. */
const DIFFERENCES: readonly Difference[] = [
  {
    models: /^anthropic claude-sonnet-4-5$/,
    calls: ["long", "long cached", "long written for long"],
    why: "the list has dropped its price above 200,000 tokens, which the vendor's page had",
  },
  {
    models: /^(deepseek|zhipu) /,
    calls: ["written"],
    why: "the list has writes at 0; these vendors report none, and their pages name no price",
  },
  {
    models: /^moonshot kimi-k3$/,
    calls: ["written for long", "long written for long"],
    why: "the list has a price for an hour; the vendor tells no lives apart",
  },
  {
    models: /^openai gpt-4(\.1|\.1-mini|o|o-mini)$/,
    calls: ["searched"],
    why: "the list's price is that of the preview of the tool; ours names none for these models",
  },
  {
    models: /^gemini gemini-3\.5-flash(-lite)?$/,
    calls: ["cached", "long cached"],
    ways: ["flex", "batch", "priority"],
    why: "the list rounds cached input to cents; half and 1.8 times are not",
  },
  {
    models: /^openai (gpt-5\.4|o4-mini)$/,
    calls: ["cached", "long cached"],
    ways: ["flex", "batch"],
    why: "the list rounds cached input; half is not",
  },
  {
    models: /^openai gpt-6-astra-law$/,
    calls: ["long", "long cached"],
    why: "the list leaves out its price above 272,000 tokens, which all models of the family have",
  },
];

withShared("catalog", () => {
  test("calls cost the same as by a public price list and its own rules", () => {
    const { models, compared, differing } = compareAll(readShared("catalog/litellm.prices.json"));
    const explained = new Set(differing.flatMap((each) => reasonFor(each) ?? []));
    process.stdout.write(
      `Public price list: ${compared} calls of ${models} models compared, ` +
        `${differing.length} differ for known reasons.\n`,
    );

    expect(models).toBeGreaterThan(80);
    expect(compared).toBeGreaterThan(1_500);
    expect(differing.filter((each) => reasonFor(each) === undefined)).toEqual([]);
    // A reason that explains nothing any more is to be taken out.
    expect(DIFFERENCES.filter((each) => !explained.has(each))).toEqual([]);
  });
});

withShared("catalog", () => {
  test.each([900, 333, 1_050, 2_000])(
    "on a channel with a factor of %d thousandths, calls cost exactly that share",
    (factor) => {
      const list = readShared("catalog/litellm.prices.json");
      const { compared, differing } = compareAll(list, factor);
      const unexplained = differing.filter((each) => reasonFor(each) === undefined);
      // Rates are whole pico-dollars: below that, the lower one is charged.
      const off = unexplained.map(({ ours, theirs }) => Number(theirs - ours));

      expect(compared).toBeGreaterThan(1_500);
      expect(off.filter((nano) => nano < 0 || nano > 301)).toEqual([]);
      if (factor !== 333) expect(unexplained).toEqual([]);
    },
  );
});

interface Compared {
  readonly model: string;
  readonly call: string;
  readonly way: string;
  readonly ours: bigint;
  readonly theirs: bigint;
}

function reasonFor({ model, call, way: transport }: Compared): Difference | undefined {
  return DIFFERENCES.find(
    ({ models, calls, ways }) =>
      models.test(model) && calls.includes(call) && ways?.includes(transport) !== false,
  );
}

function compareAll(list: PriceEntry, factor?: Thousandths) {
  const compared = Object.entries(PREFIXES).flatMap(([provider, prefix]) =>
    listModels(provider).flatMap(({ id, kind, price }) => {
      const entry = list[prefix + id];
      if (price === undefined || kind !== "chat" || !isRecord(entry)) return [];
      return agree(price, entry) ? both(`${provider} ${id}`, price, entry, factor) : [];
    }),
  );
  return {
    models: new Set(compared.map(({ model }) => model)).size,
    compared: compared.length,
    differing: compared.filter((each) => each.ours !== each.theirs),
  };
}

/** What a call costs as usual is the same: the two are lists of one day. */
function agree(price: Price, entry: PriceEntry): boolean {
  const theirs = atto(CALLS["plain"] ?? EMPTY, { at: AT }, entry);
  return theirs !== undefined && ours(CALLS["plain"] ?? EMPTY, { at: AT }, price) === nano(theirs);
}

function both(
  model: string,
  usual: Price,
  entry: PriceEntry,
  factor: Thousandths = 1_000,
): readonly Compared[] {
  const channel = { name: "a", ...(factor === 1_000 ? {} : { priceFactor: factor }) };
  const price = priceOnChannel(channel, usual) ?? usual;
  return Object.entries(CALLS).flatMap(([call, counts]) =>
    Object.entries(WAYS).flatMap(([transport, as]) => {
      const theirs = atto(counts, as, entry);
      if (theirs === undefined) return [];
      return [
        {
          model,
          call,
          way: transport,
          ours: ours(counts, as, price),
          theirs: nano(theirs, factor),
        },
      ];
    }),
  );
}

function nano(theirs: bigint, factor: Thousandths = 1_000): bigint {
  const share = 1_000n * 10n ** 9n;
  return (theirs * BigInt(factor) + share - 1n) / share;
}

function ours(call: CountedCall, { tier, region, fast, at }: Circumstances, price: Price): bigint {
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: call.input,
    cachedInputTokens: call.cached,
    cacheWriteTokens: call.written,
    longCacheWriteTokens: call.writtenLong,
    audioInputTokens: call.audioIn,
    outputTokens: call.output,
    audioOutputTokens: call.audioOut,
    searches: call.searches,
    served: defined({
      serviceTier: tier === "batches" ? "batch" : tier,
      region,
      speed: fast === true ? "fast" : undefined,
    }),
  };
  return BigInt(costOf(usage, priceAt(price, at)));
}
