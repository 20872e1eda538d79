import type { Modality, ModelKind } from "#core/model.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { COMMON_PROVIDERS } from "./common-providers.ts";
import {
  asMillion,
  dayIn,
  importProviders,
  isZero,
  tokensIn,
  variant,
  writePrice,
} from "./facts.ts";
import type { Imported, ImportTerms, RateName, WrittenRates } from "./facts.ts";

/** models.dev's `api.json`: providers by their ids, each with its models. */
export const SOURCE = "https://models.dev/api.json";

/**
 * models.dev's provider ids and ours; of vendors with two sites, the one with
 * prices in dollars.
 */
const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ...COMMON_PROVIDERS,
  ["xai", "xai"],
  ["zai", "zhipu"],
  ["alibaba", "dashscope"],
  ["togetherai", "together"],
  ["fireworks-ai", "fireworks"],
  ["siliconflow", "siliconflow"],
]);

export function isModelsDev(content: Json): content is JsonObject {
  return (
    isObject(content) &&
    Object.values(content).some(
      (each) => textOf(memberOf(each, "id")) !== undefined && isObject(memberOf(each, "models")),
    )
  );
}

export function importModelsDev(content: JsonObject, { date }: ImportTerms): Imported {
  const listed = Object.entries(content).map(([theirs, entry]) => ({
    id: theirs,
    models: Object.entries(objectOf(memberOf(entry, "models")) ?? {}),
    read(id: string, model: JsonObject) {
      const { price: base, why } = priceOf(objectOf(model["cost"]), id);
      const price = base && withVariants(base, model);
      return { row: { ...rowOf(model, id, date), price }, why };
    },
  }));
  return importProviders(listed, PROVIDERS);
}

function rowOf(model: JsonObject, id: string, date: string): JsonObject {
  const limit = objectOf(model["limit"]);
  const kind = kindOf(model, id);
  return defined({
    date,
    contextTokens: tokensIn(limit?.["context"]),
    maxOutputTokens: kind === "chat" ? tokensIn(limit?.["output"]) : undefined,
    ifNew: defined({
      kind,
      released: releasedIn(model["release_date"]),
      input: modalitiesIn(memberOf(model["modalities"], "input")) ?? ["text"],
      output: modalitiesIn(memberOf(model["modalities"], "output")) ?? [],
      tools: flagOf(model["tool_call"]) === true ? true : undefined,
      reasoning: flagOf(model["reasoning"]) === true ? reasoningOf(model) : undefined,
    }) as JsonObject,
  }) as JsonObject;
}

function kindOf(model: JsonObject, id: string): ModelKind {
  const input = modalitiesIn(memberOf(model["modalities"], "input")) ?? ["text"];
  const output = modalitiesIn(memberOf(model["modalities"], "output")) ?? ["text"];
  if (/embed/i.test(id)) return "embedding";
  if (/rerank/i.test(id)) return "rerank";
  if (output.includes("text")) return input.includes("text") ? "chat" : "transcription";
  if (output.includes("image")) return "image";
  return output.includes("video") ? "video" : "speech";
}

const MODALITIES: ReadonlyMap<string, Modality> = new Map([
  ["text", "text"],
  ["image", "image"],
  ["audio", "audio"],
  ["video", "video"],
  ["pdf", "file"],
]);

function modalitiesIn(list: Json | undefined): readonly Modality[] | undefined {
  const found = listOf(list).flatMap((each) => MODALITIES.get(textOf(each) ?? "") ?? []);
  return found.length === 0 ? undefined : found;
}

/** A month if the day is unknown. */
function releasedIn(value: Json | undefined): string | undefined {
  const text = textOf(value) ?? "";
  return dayIn(text) ?? (/^20\d\d-(0[1-9]|1[0-2])$/.test(text) ? text : undefined);
}

function reasoningOf(model: JsonObject): JsonObject {
  const options = listOf(model["reasoning_options"]).filter(isObject);
  const ofType = (type: string): JsonObject | undefined =>
    options.find((each) => each["type"] === type);
  const budget = ofType("budget_tokens");
  const efforts = listOf(ofType("effort")?.["values"]).flatMap((each) => textOf(each) ?? []);
  return defined({
    toggle: ofType("toggle") === undefined ? undefined : true,
    efforts: efforts.length === 0 ? undefined : efforts,
    budget:
      budget && defined({ minTokens: wholeIn(budget["min"]), maxTokens: tokensIn(budget["max"]) }),
  }) as JsonObject;
}

function wholeIn(value: Json | undefined): number | undefined {
  const number = numberOf(value);
  return number !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

const RATES: Readonly<Partial<Record<RateName, string>>> = {
  input: "input",
  output: "output",
  cachedInput: "cache_read",
  cacheWrite: "cache_write",
  audioInput: "input_audio",
  audioOutput: "output_audio",
};

function priceOf(cost: JsonObject | undefined, id: string): { price?: JsonObject; why?: string } {
  if (cost === undefined) return {};
  const thinking = numberOf(cost["reasoning"]);
  if (thinking !== undefined && thinking !== cost["output"]) {
    return { why: "its separate price for reasoning is not supported" };
  }
  const base = ratesIn(cost);
  if (Object.values(base).every(isZero)) {
    return id.endsWith(":free") ? { price: { input: "0", output: "0" } } : {};
  }
  if (base.input === undefined || base.output === undefined)
    return { why: "its price lacks input or output" };
  const tiers = listOf(cost["tiers"]).flatMap((tier) => {
    const aboveInputTokens = tokensIn(memberOf(memberOf(tier, "tier"), "size"));
    return aboveInputTokens === undefined || !isObject(tier)
      ? []
      : [{ aboveInputTokens, rates: ratesIn(tier) }];
  });
  return { price: writePrice(base, tiers) };
}

/** A member of the request selects the mode, and the price depends on its value. */
function withVariants(price: JsonObject, model: JsonObject): JsonObject {
  const modes = Object.values(objectOf(memberOf(model["experimental"], "modes")) ?? {});
  const variants = modes.flatMap((mode) => {
    const body = memberOf(memberOf(mode, "provider"), "body");
    const when = defined({
      serviceTier: textOf(memberOf(body, "service_tier")),
      speed: textOf(memberOf(body, "speed")),
    });
    const cost = objectOf(memberOf(mode, "cost"));
    if (cost === undefined || Object.keys(when).length !== 1) return [];
    return [variant(when, ratesIn(cost))];
  });
  return variants.length === 0 ? price : { ...price, variants };
}

function ratesIn(cost: JsonObject): WrittenRates {
  const found = Object.entries(RATES).flatMap(([name, member]) => {
    const rate = asMillion(cost[member]);
    const isSaid = rate !== undefined && (name === "input" || name === "output" || !isZero(rate));
    return isSaid ? [[name, rate] as const] : [];
  });
  return Object.fromEntries(found);
}
