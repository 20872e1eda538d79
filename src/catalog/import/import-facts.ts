import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import type { Fact, Imported, ImportTerms } from "./facts.ts";
import { importGenaiPrices, isGenaiPrices, SOURCE as GENAI_PRICES } from "./genai-prices.ts";
import { importLitellm, isLitellm, SOURCE as LITELLM } from "./litellm.ts";
import { importModelsDev, isModelsDev, SOURCE as MODELS_DEV } from "./models-dev.ts";

/** Imported facts as files of our own catalogue; rows may be incomplete. */
export interface ImportedFacts extends Omit<Imported, "facts"> {
  readonly format: string;
  readonly files: readonly JsonObject[];
}

/** Reads a file of facts about models and detects its format. Undefined for an unknown format. */
export function importFacts(content: Json, terms: ImportTerms): ImportedFacts | undefined {
  const own = ownFiles(content);
  if (own !== undefined) {
    return { format: "a catalogue file", files: own, leftOut: [], otherProviders: new Map() };
  }
  if (isGenaiPrices(content)) {
    return asFiles("genai-prices", GENAI_PRICES, importGenaiPrices(content, terms), terms);
  }
  if (isLitellm(content)) {
    return asFiles("LiteLLM's price file", LITELLM, importLitellm(content, terms), terms);
  }
  if (isModelsDev(content)) {
    return asFiles("models.dev", MODELS_DEV, importModelsDev(content, terms), terms);
  }
  return undefined;
}

/** A file in our own format, or a list of such files. */
function ownFiles(content: Json): readonly JsonObject[] | undefined {
  const files = isArray(content) ? content : [content];
  const isOwn = files.every(
    (each) => isObject(each) && textOf(each["provider"]) !== undefined && isArray(each["models"]),
  );
  return isOwn && files.length > 0 ? files.filter(isObject) : undefined;
}

function asFiles(
  format: string,
  source: string,
  { facts, ...more }: Imported,
  { date }: ImportTerms,
): ImportedFacts {
  const byProvider = Map.groupBy(facts, ({ provider }) => provider);
  const files = [...byProvider].map(([provider, each]) => ({
    provider,
    source,
    date,
    models: firstOfEach(each).map(({ row }) => withoutAbsent(row)),
  }));
  return { format, files, ...more };
}

/** A model may occur twice, with and without its provider's name. */
function firstOfEach(facts: readonly Fact[]): readonly Fact[] {
  return [...new Map(facts.toReversed().map((each) => [each.row.id, each])).values()].toReversed();
}

function withoutAbsent(row: Fact["row"]): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}
