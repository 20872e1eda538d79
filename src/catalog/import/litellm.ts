import type { LeftOut } from "#core/catalog-update.ts";
import type { Modality, ModelKind } from "#core/model.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import {
  dayIn,
  type Fact,
  type Imported,
  type ImportTerms,
  isZero,
  perMillion,
  perOne,
  type RateName,
  tokenRatesOf,
  type TierRates,
  tokensIn,
  variant,
  writePrice,
  type WrittenRates,
} from "./facts.ts";

/** LiteLLM's price file: `model_prices_and_context_window.json` of its repository. */
export const SOURCE =
  "https://github.com/BerriAI/litellm/blob/main/model_prices_and_context_window.json";

/** LiteLLM's provider names and ours. Clouds that resell models keep the original vendors' rows. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ["openai", "openai"],
  ["anthropic", "anthropic"],
  ["gemini", "gemini"],
  ["deepseek", "deepseek"],
  ["mistral", "mistral"],
  ["xai", "xai"],
  ["moonshot", "moonshot"],
  ["zai", "zhipu"],
  ["dashscope", "dashscope"],
  ["volcengine", "ark"],
  ["minimax", "minimax"],
  ["cohere", "cohere"],
  ["cohere_chat", "cohere"],
  ["jina_ai", "jina"],
  ["voyage", "voyage"],
  ["groq", "groq"],
  ["together_ai", "together"],
  ["fireworks_ai", "fireworks"],
  ["fireworks_ai-embedding-models", "fireworks"],
  ["openrouter", "openrouter"],
]);

const KINDS: ReadonlyMap<string, ModelKind> = new Map([
  ["chat", "chat"],
  ["responses", "chat"],
  ["embedding", "embedding"],
  ["rerank", "rerank"],
  ["image_generation", "image"],
  ["video_generation", "video"],
  ["audio_speech", "speech"],
  ["audio_transcription", "transcription"],
  ["moderation", "moderation"],
]);

export function isLitellm(content: Json): content is JsonObject {
  return (
    isObject(content) &&
    Object.values(content).some((each) => memberOf(each, "litellm_provider") !== undefined)
  );
}

export function importLitellm(content: JsonObject, { date }: ImportTerms): Imported {
  const facts: Fact[] = [];
  const leftOut: LeftOut[] = [];
  const otherProviders = new Map<string, number>();
  for (const [key, entry] of Object.entries(content)) {
    if (!isObject(entry) || key === "sample_spec") continue;
    const theirs = textOf(entry["litellm_provider"]) ?? "none";
    const provider = PROVIDERS.get(theirs);
    if (provider === undefined) {
      otherProviders.set(theirs, (otherProviders.get(theirs) ?? 0) + 1);
      continue;
    }
    const id = idOf(key, theirs);
    const mode = textOf(entry["mode"]) ?? "none";
    const kind = KINDS.get(mode);
    if (kind === undefined || isNoModel(key)) {
      leftOut.push({ provider, id, why: `its mode is not supported: ${mode}` });
      continue;
    }
    const price = priceOf(entry, kind);
    if (price.why !== undefined) leftOut.push({ provider, id, why: price.why });
    facts.push({ provider, row: { id, ...rowOf(entry, kind, date), price: price.price } });
  }
  return { facts, leftOut, otherProviders };
}

/** `gemini/gemini-2.5-pro`: the prefix names the provider and is not a part of the vendor's id. */
function idOf(key: string, theirs: string): string {
  const prefix = `${theirs}/`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : key;
}

/** Rows for sizes, steps or fine-tuning, which are not model names. */
function isNoModel(key: string): boolean {
  return (
    /^(ft:|\d+-x-\d+\/|(low|medium|high|standard|hd|auto)\/)/.test(key) ||
    /^(together-ai|fireworks-ai)-[\d.a-z-]+$/.test(key) ||
    key.endsWith("/*")
  );
}

function rowOf(entry: JsonObject, kind: ModelKind, date: string): JsonObject {
  const ends = dayIn(entry["deprecation_date"]);
  const source = textOf(entry["source"]);
  return defined({
    source: source?.startsWith("https://") === true && URL.canParse(source) ? source : undefined,
    date,
    maxOutputTokens: tokensIn(entry["max_output_tokens"]),
    ...(ends !== undefined && (ends <= date ? { retired: ends } : { retires: ends })),
    ifNew: defined({
      kind,
      // The input limit, which for some vendors is less than the context window.
      contextTokens: tokensIn(entry["max_input_tokens"]),
      ...modalitiesOf(entry, kind),
      tools: entry["supports_function_calling"] === true ? true : undefined,
      reasoning: entry["supports_reasoning"] === true ? reasoningOf(entry) : undefined,
    }) as JsonObject,
  }) as JsonObject;
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Known efforts; for the three common ones a missing value counts as supported. */
function reasoningOf(entry: JsonObject): JsonObject {
  const levels = listOf(entry["reasoning_effort_levels"]);
  const named = EFFORTS.filter((effort) => levels.includes(effort));
  return named.length > 0 ? { efforts: named } : {};
}

function modalitiesOf(entry: JsonObject, kind: ModelKind): JsonObject {
  if (kind !== "chat") return { ...USUAL[kind] };
  const takes: readonly [Modality, boolean][] = [
    ["image", entry["supports_vision"] === true],
    ["audio", entry["supports_audio_input"] === true],
    ["video", entry["supports_video_input"] === true],
    ["file", entry["supports_pdf_input"] === true],
  ];
  const input = ["text", ...takes.flatMap(([modality, isTaken]) => (isTaken ? [modality] : []))];
  const output = listOf(entry["supported_output_modalities"]).filter(isModality);
  return { input, output: output.length > 0 ? output : ["text"] };
}

const USUAL: Readonly<Record<Exclude<ModelKind, "chat">, JsonObject>> = {
  embedding: { input: ["text"], output: [] },
  rerank: { input: ["text"], output: [] },
  image: { input: ["text"], output: ["image"] },
  video: { input: ["text"], output: ["video"] },
  speech: { input: ["text"], output: ["audio"] },
  transcription: { input: ["audio"], output: ["text"] },
  moderation: { input: ["text"], output: [] },
};

function isModality(value: Json): value is Modality {
  return ["text", "image", "audio", "video", "file"].includes(textOf(value) ?? "");
}

/** LiteLLM's fields for each token rate. */
const TOKEN_RATES: Readonly<Partial<Record<RateName, readonly string[]>>> = {
  input: ["input_cost_per_token"],
  output: ["output_cost_per_token"],
  cachedInput: ["cache_read_input_token_cost"],
  cacheWrite: ["cache_creation_input_token_cost"],
  longCacheWrite: [
    "cache_creation_input_token_cost_above_1hr",
    "cache_creation_input_token_cost_above_12hr",
  ],
  audioInput: ["input_cost_per_audio_token"],
  audioOutput: ["output_cost_per_audio_token"],
  imageInput: ["input_cost_per_image_token"],
  imageOutput: ["output_cost_per_image_token"],
};

interface FoundPrice {
  readonly price?: JsonObject;
  /** The reason why an existing price cannot be imported. */
  readonly why?: string;
}

function priceOf(entry: JsonObject, kind: ModelKind): FoundPrice {
  const why = unsupportedReason(entry);
  if (why !== undefined) return { why };
  const steps = listOf(entry["tiered_pricing"]).filter(isObject);
  const [first = entry] = steps;
  const units = unitsOf(entry, kind);
  const tokens = tokenRates(first, "");
  const base: WrittenRates = { ...free(tokens), ...units };
  if (Object.values(base).every(isZero)) return {};
  if (base.input === undefined && hasTokenRate(base))
    return { why: "its price lacks input or output" };
  const whole = hasTokenRate(base) ? { ...base, output: base.output ?? "0" } : base;
  const tiers = steps.length > 0 ? steppedTiers(steps) : namedTiers(entry);
  const price = writePrice(whole, tiers);
  const variants = steps.length > 0 ? [] : variantsIn(entry, price);
  return {
    price: {
      ...price,
      ...(variants.length > 0 && { variants }),
      ...(base.search !== undefined && searchesOnce(entry) && { searchOncePerCall: true }),
      ...(base.referenceImage !== undefined && defined({ freeReferenceImages: freeImages(entry) })),
    },
  };
}

/** Given images that this provider does not charge. */
function freeImages(entry: JsonObject): number | undefined {
  const free = integerOf(memberOf(entry["provider_specific_entry"], "minimax_free_input_images"));
  return free !== undefined && free > 0 ? free : undefined;
}

/** Older models of this provider cost once for a call that searched. */
function searchesOnce(entry: JsonObject): boolean {
  return entry["litellm_provider"] === "gemini" && entry["web_search_billing_unit"] !== "per_query";
}

/** Endings of their members, and the service tier that each is the price of. */
const SERVICE_TIERS = [
  ["_flex", "flex"],
  ["_batches", "batch"],
  ["_priority", "priority"],
  ["_ultrafast", "ultrafast"],
] as const;

function variantsIn(entry: JsonObject, price: JsonObject): readonly JsonObject[] {
  const ofTiers = SERVICE_TIERS.flatMap(([suffix, serviceTier]) =>
    tierVariants(entry, suffix, serviceTier, price),
  );
  return [...ofTiers, ...multipliersIn(entry)];
}

/** A service tier's rates, and those above each bound that has some. */
function tierVariants(
  entry: JsonObject,
  suffix: string,
  serviceTier: string,
  price: JsonObject,
): readonly JsonObject[] {
  const rates = free(tokenRates(entry, suffix));
  if (isEmpty(rates)) return [];
  const long = listOf(price["tiers"]).flatMap((tier) => {
    const aboveInputTokens = numberOf(memberOf(tier, "aboveInputTokens")) ?? 0;
    const said = free(tokenRates(entry, `_above_${aboveInputTokens / 1_000}k_tokens${suffix}`));
    return isEmpty(said) ? [] : [variant({ serviceTier, aboveInputTokens }, said)];
  });
  return [variant({ serviceTier }, rates), ...long];
}

function isEmpty({ input, output }: WrittenRates): boolean {
  return input === undefined && output === undefined;
}

/** Factors for regions and speeds. */
function multipliersIn(entry: JsonObject): readonly JsonObject[] {
  const { us, fast } = objectOf(entry["provider_specific_entry"]) ?? {};
  const said: readonly (readonly [JsonObject, Json | undefined])[] = [
    [{ speed: "fast" }, fast],
    [{ region: "eu" }, entry["regional_processing_uplift_multiplier_eu"]],
    [{ region: "us" }, us ?? entry["regional_processing_uplift_multiplier_us"]],
  ];
  return said.flatMap(([when, factor]) => {
    const times = numberOf(factor);
    return times === undefined || times <= 0 ? [] : [{ when, factor: String(times) }];
  });
}

/** Zero next to other rates means free of charge; but a cache rate of zero is dropped. */
function free(tokens: WrittenRates): WrittenRates {
  const kept = Object.entries(tokens).filter(
    ([name, rate]) => name === "input" || name === "output" || !isZero(rate),
  );
  return Object.fromEntries(kept);
}

function hasTokenRate(rates: WrittenRates): boolean {
  return Object.values(tokenRatesOf(rates)).some((rate) => !isZero(rate));
}

function unsupportedReason(entry: JsonObject): string | undefined {
  const thinking = numberOf(entry["output_cost_per_reasoning_token"]);
  if (thinking !== undefined && thinking !== entry["output_cost_per_token"]) {
    return "its separate price for reasoning is not supported";
  }
  if (Object.keys(entry).some((name) => /_per_(second|image)_(\d+(p|k)?|[\d.]+K)$/.test(name))) {
    return "its price depends on the resolution";
  }
  if (Object.keys(entry).some((name) => name.endsWith("_cost_per_pixel"))) {
    return "its price per pixel is not supported";
  }
  return undefined;
}

/** `suffix`: the field suffix of a tier, such as `_above_200k_tokens`. */
function tokenRates(entry: JsonObject, suffix: string): WrittenRates {
  const found = Object.entries(TOKEN_RATES).flatMap(([name, members]) => {
    const rate = members.flatMap((each) => perMillion(entry[each + suffix]) ?? [])[0];
    return rate === undefined ? [] : [[name, rate] as const];
  });
  return Object.fromEntries(found);
}

function unitsOf(entry: JsonObject, kind: ModelKind): WrittenRates {
  const search = searchRate(entry);
  const rates: Record<string, string | undefined> = {
    search: kind === "rerank" ? perOne(entry["input_cost_per_query"]) : search,
    image: kind === "image" ? perOne(entry["output_cost_per_image"]) : undefined,
    referenceImage: kind === "video" ? perOne(entry["input_cost_per_image"]) : undefined,
    second: secondRate(entry, kind),
    character: kind === "speech" ? perMillion(entry["input_cost_per_character"]) : undefined,
  };
  const named = Object.entries(rates).filter(([, rate]) => !isZero(rate));
  return Object.fromEntries(named) as WrittenRates;
}

function secondRate(entry: JsonObject, kind: ModelKind): string | undefined {
  if (kind === "transcription") return perOne(entry["input_cost_per_second"]);
  if (kind !== "video") return undefined;
  return perOne(entry["output_cost_per_second"] ?? entry["output_cost_per_video_per_second"]);
}

/** One rate, if it is the same for all context sizes. */
function searchRate(entry: JsonObject): string | undefined {
  const sizes = Object.values(objectOf(entry["search_context_cost_per_query"]) ?? {});
  const [first] = sizes;
  return sizes.every((each) => each === first) ? perOne(first) : undefined;
}

function namedTiers(entry: JsonObject): readonly TierRates[] {
  const bounds = new Set(
    Object.keys(entry).flatMap((name) => {
      const [, thousands] = /^(?:in|out)put_cost_per_token_above_(\d+)k_tokens$/.exec(name) ?? [];
      return thousands === undefined ? [] : [Number(thousands)];
    }),
  );
  return [...bounds].map((thousands) => ({
    aboveInputTokens: thousands * 1_000,
    rates: tokenRates(entry, `_above_${thousands}k_tokens`),
  }));
}

function steppedTiers(steps: readonly JsonObject[]): readonly TierRates[] {
  return steps.slice(1).flatMap((step) => {
    const from = tokensIn(listOf(step["range"])[0]);
    return from === undefined ? [] : [{ aboveInputTokens: from, rates: tokenRates(step, "") }];
  });
}
