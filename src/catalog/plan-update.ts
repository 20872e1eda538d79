import type { CatalogPlan, FactChange, LeftOut, UpdatedRow } from "#core/catalog-update.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { isNamed, parseCatalogFile } from "./catalog-file.ts";
import { completePrice, mergedPrice } from "./merged-price.ts";
import { outranks } from "./overlay.ts";
import { isSameRate, ratesOf } from "./written-rates.ts";

/** The current rows in the notation of catalogue files, each with its source and date. */
type KnownRows = ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;

export interface PlannedUpdate extends Omit<CatalogPlan, "digest" | "list"> {
  /** Complete rows, ready to be stored. */
  readonly rows: readonly UpdatedRow[];
}

export function knownRows(
  shipped: readonly JsonObject[],
  updates: readonly UpdatedRow[],
): KnownRows {
  const known = new Map<string, Map<string, JsonObject>>();
  const rowsOf = (provider: string): Map<string, JsonObject> => {
    const rows = known.get(provider) ?? new Map<string, JsonObject>();
    known.set(provider, rows);
    return rows;
  };
  for (const file of shipped) {
    const rows = rowsOf(textOf(file["provider"]) ?? "");
    for (const row of listOf(file["models"]).filter(isObject))
      rows.set(idOf(row), sourced(row, file));
  }
  for (const { provider, id, row } of updates) {
    const rows = rowsOf(provider);
    const before = rows.get(id);
    if (before === undefined || outranks(dateOf(row), dateOf(before))) rows.set(id, row);
  }
  return known;
}

/**
 * The changes that facts make to the current rows. A row keeps values that its
 * facts omit. A price that would lose a rate or a tier stays unchanged and is
 * reported. No price becomes free or flat without an operator's decision.
 */
export function planUpdate(
  known: KnownRows,
  facts: readonly JsonObject[],
  providers: ReadonlySet<string>,
): PlannedUpdate {
  const rows: UpdatedRow[] = [];
  const added: { provider: string; id: string; price?: JsonObject }[] = [];
  const changed: FactChange[] = [];
  const leftOut: LeftOut[] = [];
  let unchanged = 0;
  for (const file of facts) {
    const provider = textOf(file["provider"]) ?? "";
    const listed = known.get(provider) ?? NO_ROWS;
    for (const given of listOf(file["models"]).filter(isObject)) {
      const id = idOf(given);
      const leave = (why: string): void => void leftOut.push({ provider, id, why });
      if (!providers.has(provider)) {
        leave("the provider is unknown to this gateway");
        continue;
      }
      const before = listed.get(id);
      const namesake = before === undefined ? ownerOf(listed, id) : undefined;
      const said = sourced(given, file);
      if (namesake !== undefined) {
        if (!hasSamePrice(namesake, said))
          leave(`it is an alias of ${idOf(namesake)} with another price`);
        else unchanged++;
        continue;
      }
      if (before === undefined) {
        const row = newRow(said);
        const why = whyUnreadable(provider, row);
        if (why !== undefined) {
          leave(why);
          continue;
        }
        rows.push({ provider, id, row });
        const price = objectOf(row["price"]);
        added.push({ provider, id, ...(price && { price }) });
        continue;
      }
      if (!outranks(dateOf(said), dateOf(before))) {
        leave(`the known facts are newer: ${dateOf(before)}`);
        continue;
      }
      const { row, whys } = merged(before, said);
      whys.forEach(leave);
      const changes = changesOf(before, row);
      if (changes.length === 0) {
        if (whys.length === 0) unchanged++;
        continue;
      }
      const why = whyUnreadable(provider, row);
      if (why !== undefined) {
        leave(why);
        continue;
      }
      rows.push({ provider, id, row });
      changed.push(...changes.map((each) => ({ provider, id, ...each })));
    }
  }
  return { rows, added, changed, unchanged, leftOut };
}

const NO_ROWS: ReadonlyMap<string, JsonObject> = new Map();

function idOf(row: JsonObject): string {
  return textOf(row["id"]) ?? "";
}

function dateOf(row: JsonObject): string {
  return textOf(row["date"]) ?? "";
}

/** A row completed with the common values of its file. */
function sourced(row: JsonObject, file: JsonObject): JsonObject {
  const { source, date, suffixes } = file;
  const price = objectOf(row["price"]);
  const shared = sharedVariantsOf(row, file);
  const variants = [...listOf(price?.["variants"]), ...shared];
  return {
    ...(source !== undefined && { source }),
    ...(date !== undefined && { date }),
    ...(suffixes !== undefined && row["reasoning"] !== undefined && { suffixes }),
    ...row,
    ...(price !== undefined && shared.length > 0 && { price: { ...price, variants } }),
  };
}

/** The file's price variants that name the row, without the names. */
function sharedVariantsOf(row: JsonObject, file: JsonObject): readonly JsonObject[] {
  return listOf(file["variants"])
    .filter(isObject)
    .filter(({ models }) => listOf(models).some((name) => isNamed(idOf(row), textOf(name) ?? "")))
    .map(({ models: _models, ...each }) => each);
}

function ownerOf(rows: ReadonlyMap<string, JsonObject>, alias: string): JsonObject | undefined {
  for (const row of rows.values()) if (listOf(row["aliases"]).includes(alias)) return row;
  return undefined;
}

function newRow({ ifNew, price: given, ...said }: JsonObject): JsonObject {
  const price = objectOf(given);
  return {
    ...objectOf(ifNew),
    ...said,
    ...(price !== undefined && { price: completePrice(price) }),
  };
}

/** Returns the merged row, and the reasons why some facts are not used. */
function merged(
  before: JsonObject,
  facts: JsonObject,
): { row: JsonObject; whys: readonly string[] } {
  const { ifNew: _ifNew, price: given, aliases, ...said } = facts;
  const all = [...new Set([...listOf(before["aliases"]), ...listOf(aliases)])];
  const row: JsonObject = {
    ...before,
    ...said,
    ...(all.length > 0 && { aliases: all }),
    ...(before["price"] !== undefined && { price: before["price"] }),
  };
  const old = objectOf(before["price"]);
  const { price, whys = [] } = isObject(given) ? mergedPrice(old, given) : {};
  if (price !== undefined) return { row: { ...row, price }, whys };
  // If the price stays, its source and date stay too.
  const { source = row["source"], date = row["date"] } = old === undefined ? row : before;
  return { row: { ...row, ...(source !== undefined && { source }), date }, whys };
}

function hasSamePrice(known: JsonObject, said: JsonObject): boolean {
  const price = objectOf(said["price"]);
  const old = objectOf(known["price"]) ?? {};
  return Object.entries(ratesOf(price ?? {})).every(
    ([name, rate]) => old[name] === undefined || isSameRate(old[name], rate),
  );
}

/** Source and date of a fact are not facts about the model. */
const NO_FACTS = new Set(["source", "date"]);

function changesOf(
  before: JsonObject,
  after: JsonObject,
): readonly Omit<FactChange, "provider" | "id">[] {
  const old = fieldsOf(before);
  const now = fieldsOf(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((field) => {
    const [was, is] = [old.get(field), now.get(field)];
    if (was === is || (field.startsWith("price.") && isSameRate(was, is))) return [];
    return {
      field,
      ...(was !== undefined && { before: was }),
      ...(is !== undefined && { after: is }),
    };
  });
}

/** Each fact as text, each rate of a price separately. */
function fieldsOf(row: JsonObject): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(row)) {
    if (value === undefined || NO_FACTS.has(name)) continue;
    if (name !== "price" || !isObject(value)) fields.set(name, written(value));
    else addPrice(fields, value);
  }
  return fields;
}

function addPrice(fields: Map<string, string>, price: JsonObject): void {
  for (const [name, value] of Object.entries(price)) {
    if (value === undefined) continue;
    if (name !== "tiers" && name !== "variants") fields.set(`price.${name}`, written(value));
  }
  for (const tier of listOf(price["tiers"]).filter(isObject)) {
    const { aboveInputTokens, ...rates } = tier;
    for (const [name, rate] of Object.entries(ratesOf(rates))) {
      fields.set(`price.above ${written(aboveInputTokens ?? 0)}.${name}`, rate);
    }
  }
  for (const variant of listOf(price["variants"]).filter(isObject)) addVariant(fields, variant);
}

/** Later variants replace the rates of earlier ones under the same condition. */
function addVariant(fields: Map<string, string>, { when, rates, factor }: JsonObject): void {
  const label = Object.entries(objectOf(when) ?? {})
    .map(([name, value]) => describeCondition(name, value ?? null))
    .join(" ");
  for (const [name, rate] of Object.entries(ratesOf(objectOf(rates) ?? {})))
    fields.set(`price.${label}.${name}`, rate);
  if (factor !== undefined) fields.set(`price.${label}.factor`, written(factor));
}

function describeCondition(name: string, value: Json): string {
  const words = isArray(value) ? value.map(written).join(",") : written(value);
  if (name === "serviceTier") return words;
  return name === "aboveInputTokens" ? `above ${words}` : `${name} ${words}`;
}

function written(value: Json): string {
  return textOf(value) ?? JSON.stringify(value);
}

/** Validated like shipped files, since the result becomes a catalogue row. */
function whyUnreadable(provider: string, row: JsonObject): string | undefined {
  try {
    parseCatalogFile({ provider, date: dateOf(row), models: [row] });
    return undefined;
  } catch (cause) {
    return `the row would be invalid: ${cause instanceof Error ? cause.message.slice(0, 200) : ""}`;
  }
}
