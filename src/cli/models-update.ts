import { importFacts, type ImportedFacts } from "#catalog/import/import-facts.ts";
import { isDay } from "#lib/iso-date.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { columns } from "./columns.ts";
import { cell, listing, UsageError, type Verb, type Words } from "./command.ts";

const MAX_BYTES = 32 * 1024 * 1024;
/** Maximum number of lines per part of a plan; `--json` shows all. */
const MAX_SHOWN = 200;

export const catalog: Verb = {
  usage: "catalog",
  doc: "shows the age of the model catalogue and the number of updated rows",
  ask(words) {
    words.none();
    return { method: "GET", path: "/api/catalog" };
  },
  show: (data) =>
    listing({
      ...data,
      items: listOf(data["items"]).map((each) =>
        isObject(each) ? `${cell(each["provider"] ?? null)}: ${cell(each["rows"] ?? null)}` : "",
      ),
    }),
};

export const update: Verb = {
  usage: "update <file|link>",
  doc: "shows the changes that a file of prices and limits would make to the catalogue; --apply makes them, --plan only if its digest is still the same. Formats: catalogue files, LiteLLM, models.dev, genai-prices. --date: the day on which the file was downloaded, by default today",
  options: { apply: undefined, plan: "<digest>", provider: "<name,...>", date: "<day>" },
  async ask(words) {
    const read = await readFacts(words);
    const chosen = words.list("provider");
    const isChosen = (provider: Json | undefined): boolean =>
      chosen === undefined || chosen.includes(textOf(provider) ?? "");
    const files = read.files.filter((file) => isChosen(file["provider"]));
    if (files.length === 0) throw new UsageError("The file has no models of these providers.");
    const leftOut = read.leftOut.filter(({ provider }) => isChosen(provider));
    return {
      method: "POST",
      path: words.has("apply") ? `/api/catalog${digestIn(words)}` : "/api/catalog/plan",
      body: { files },
      beside: {
        format: read.format,
        is_applied: words.has("apply"),
        not_read: leftOut.map((each) => ({ ...each })),
        other_providers: Object.fromEntries(read.otherProviders),
      },
    };
  },
  show: showPlan,
};

export const revert: Verb = {
  usage: "revert",
  doc: "deletes catalogue updates of all or the named providers, so that the shipped rows apply again",
  options: { provider: "<name,...>" },
  ask(words) {
    words.none();
    const providers = words.list("provider");
    const query = providers === undefined ? "" : `?provider=${providers.map(encode).join(",")}`;
    return { method: "DELETE", path: `/api/catalog${query}` };
  },
  show: (data) => [`${cell(data["rows"] ?? null)} updated rows were deleted`],
};

function encode(word: string): string {
  return encodeURIComponent(word);
}

function digestIn(words: Words): string {
  const digest = words.text("plan");
  return digest === undefined ? "" : `?plan=${encode(digest)}`;
}

async function readFacts(words: Words): Promise<ImportedFacts> {
  const date = words.text("date") ?? new Date().toISOString().slice(0, 10);
  if (!isDay(date)) throw new UsageError("--date takes a day such as 2030-12-31.");
  const text = await words.fileOrLink();
  if (Buffer.byteLength(text) > MAX_BYTES) {
    throw new UsageError(`The file is larger than ${MAX_BYTES / 1024 / 1024} MiB.`);
  }
  const content = parseJson(text);
  if (content === undefined) throw new UsageError("The file is not valid JSON.");
  const read = importFacts(content, { date });
  if (read !== undefined) return read;
  throw new UsageError(
    "The file is in none of the known formats: a catalogue file, LiteLLM's price file, " +
      "models.dev's api.json, genai-prices' data.json.",
  );
}

function showPlan(data: JsonObject): readonly string[] {
  const added = listOf(data["added"]).filter(isObject);
  const changed = listOf(data["changed"]).filter(isObject);
  const leftOut = [...listOf(data["left_out"]), ...listOf(data["not_read"])].filter(isObject);
  const digest = textOf(data["plan"]);
  const isPrice = ({ field }: JsonObject): boolean => textOf(field)?.startsWith("price.") === true;
  return [
    `Read as ${textOf(data["format"]) ?? ""}.`,
    ...part("New models", added, (each) => [name(each), priceIn(each)]),
    ...part("Changed prices", changed.filter(isPrice), change),
    ...part(
      "Other changes",
      changed.filter((each) => !isPrice(each)),
      change,
    ),
    ...part("Left out", leftOut, (each) => [name(each), cell(each["why"] ?? null)]),
    "",
    `Unchanged: ${numberOf(data["unchanged"]) ?? 0}. ${elsewhere(objectOf(data["other_providers"]))}`,
    data["is_applied"] === true
      ? "The catalogue was updated."
      : "Nothing was changed. Use --apply to make these changes.",
    ...(digest === undefined || data["is_applied"] === true
      ? []
      : [`To make exactly these: --apply --plan ${digest}`]),
  ];
}

function part(
  title: string,
  items: readonly JsonObject[],
  row: (item: JsonObject) => readonly string[],
): readonly string[] {
  if (items.length === 0) return [];
  const more = items.length - MAX_SHOWN;
  return [
    "",
    `${title}: ${items.length}`,
    ...columns(items.slice(0, MAX_SHOWN).map(row)).map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more (--json shows all)`] : []),
  ];
}

function name({ provider, id }: JsonObject): string {
  return `${cell(provider ?? null)} ${cell(id ?? null)}`;
}

function change(each: JsonObject): readonly string[] {
  const [before, after] = [cell(each["before"] ?? null), cell(each["after"] ?? null)];
  return [name(each), cell(each["field"] ?? null), `${before} -> ${after}`];
}

/** Dollars per million tokens, or per other unit. */
function priceIn({ price }: JsonObject): string {
  const rates = Object.entries(objectOf(price) ?? {}).flatMap(([rate, value]) =>
    typeof value === "string" ? [`${rate} ${value}`] : [],
  );
  return rates.length === 0 ? "no price" : rates.join(", ");
}

function elsewhere(others: JsonObject | undefined): string {
  const counts = Object.values(others ?? {}).map((count) => numberOf(count) ?? 0);
  const count = counts.reduce((sum, each) => sum + each, 0);
  if (count === 0) return "";
  return `Of other providers: ${count} models of ${counts.length} providers.`;
}
