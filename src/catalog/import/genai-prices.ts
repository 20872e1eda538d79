import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { COMMON_PROVIDERS } from "./common-providers.ts";
import { asMillion, dayIn, importProviders, isZero, tokensIn, writePrice } from "./facts.ts";
import type { Imported, ImportTerms, RateName, WrittenRates } from "./facts.ts";

/** genai-prices' `data.json`: a list of providers, each with its models. */
export const SOURCE = "https://github.com/pydantic/genai-prices/blob/main/prices/data.json";

/** genai-prices' provider ids and ours. */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ...COMMON_PROVIDERS,
  ["x-ai", "xai"],
  ["zhipuai", "zhipu"],
  ["voyageai", "voyage"],
  ["together", "together"],
  ["fireworks", "fireworks"],
]);

export function isGenaiPrices(content: Json): content is readonly Json[] {
  return (
    isArray(content) &&
    content.some((each) =>
      listOf(memberOf(each, "models")).some((model) => memberOf(model, "prices") !== undefined),
    )
  );
}

export function importGenaiPrices(content: readonly Json[], terms: ImportTerms): Imported {
  const listed = content.map((entry) => {
    const source = pageOf(entry);
    const models = listOf(memberOf(entry, "models")).filter(isObject);
    return {
      id: textOf(memberOf(entry, "id")) ?? "none",
      models: models.map((model) => [textOf(model["id"]) ?? "", model] as const),
      read(id: string, model: JsonObject) {
        const { price, why } = priceOf(model["prices"], id, terms);
        const ifNew = ifNewOf(id, tokensIn(model["context_window"]));
        const row = defined({ source, date: terms.date, ifNew }) as JsonObject;
        return { row: { ...row, price }, why };
      },
    };
  });
  return importProviders(listed, PROVIDERS);
}

/** The file has few facts besides the price. */
function ifNewOf(id: string, contextTokens: number | undefined): JsonObject {
  const kind = /embed/i.test(id) ? "embedding" : /rerank/i.test(id) ? "rerank" : "chat";
  return defined({ kind, contextTokens }) as JsonObject;
}

function pageOf(provider: Json): string | undefined {
  const [page] = listOf(memberOf(provider, "pricing_urls"));
  const text = textOf(page) ?? "";
  return text.startsWith("https://") && URL.canParse(text) ? text : undefined;
}

const RATES: Readonly<Partial<Record<RateName, string>>> = {
  input: "input_mtok",
  output: "output_mtok",
  cachedInput: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  audioInput: "input_audio_mtok",
  audioOutput: "output_audio_mtok",
};

interface FoundPrice {
  readonly price?: JsonObject;
  readonly why?: string;
}

function priceOf(prices: Json | undefined, id: string, { date }: ImportTerms): FoundPrice {
  const current = isArray(prices) ? currentOf(prices.filter(isObject), date) : objectOf(prices);
  if (current === undefined) return { why: "its price depends on the hour" };
  const base = ratesIn(current, (rate) => (isObject(rate) ? rate["base"] : rate));
  if (Object.values(base).every(isZero)) {
    return id.endsWith(":free") ? { price: { input: "0", output: "0" } } : {};
  }
  if (base.input === undefined) return { why: "its price lacks input or output" };
  const bounds = new Set(
    Object.values(current).flatMap((rate) =>
      listOf(memberOf(rate, "tiers")).flatMap((tier) => tokensIn(memberOf(tier, "start")) ?? []),
    ),
  );
  const tiers = [...bounds].map((aboveInputTokens) => ({
    aboveInputTokens,
    rates: ratesIn(current, (rate) => rateFrom(rate, aboveInputTokens)),
  }));
  return { price: writePrice({ ...base, output: base.output ?? "0" }, tiers) };
}

/** The latest price that has started; none if any price is limited to certain hours. */
function currentOf(prices: readonly JsonObject[], date: string): JsonObject | undefined {
  let current: JsonObject | undefined;
  for (const each of prices) {
    const constraint = objectOf(each["constraint"]);
    const from = dayIn(constraint?.["start_date"]);
    if (constraint !== undefined && from === undefined) return undefined;
    if (from === undefined || from <= date) current = objectOf(each["prices"]);
  }
  return current;
}

/** The rate for inputs above a bound: of its last tier that starts at the bound or below. */
function rateFrom(rate: Json | undefined, bound: number): Json | undefined {
  if (!isObject(rate)) return rate;
  let found = rate["base"];
  for (const tier of listOf(rate["tiers"])) {
    const start = tokensIn(memberOf(tier, "start"));
    if (start !== undefined && start <= bound) found = memberOf(tier, "price");
  }
  return found;
}

function ratesIn(
  prices: JsonObject,
  read: (rate: Json | undefined) => Json | undefined,
): WrittenRates {
  const found = Object.entries(RATES).flatMap(([name, member]) => {
    const rate = asMillion(read(prices[member]));
    const isSaid = rate !== undefined && (name === "input" || name === "output" || !isZero(rate));
    return isSaid ? [[name, rate] as const] : [];
  });
  return Object.fromEntries(found);
}
