import { invalid } from "#core/error.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, objectOf } from "#lib/values.ts";
import { isSearchName } from "../conversation/search-tools.ts";

/**
 * A vendor's own members, under whatever name: `extra_body.<vendor>`. Some
 * client libraries write the members of `extra_body` into the body itself, so
 * the vendor's object may stand there as well.
 */
export function vendorObjects(body: JsonObject): readonly JsonObject[] {
  const nested = Object.values(objectOf(body["extra_body"]) ?? {}).filter(isObject);
  return [...nested, ...vendorNames(body).map((name) => objectOf(body[name]) ?? {})];
}

/** Root members that are a vendor's object. */
export function vendorNames(body: JsonObject): readonly string[] {
  let names: string[] | undefined;
  for (const name in body) {
    if (name !== "extra_body" && isVendorObject(body[name])) (names ??= []).push(name);
  }
  return names ?? NO_NAMES;
}

function isVendorObject(value: Json | undefined): boolean {
  if (!isObject(value)) return false;
  if (isObject(value["thinking_config"]) || isObject(value["image_config"])) return true;
  const tools = listOf(value["tools"]);
  return tools.length > 0 && tools.every(isNativeTool);
}

/** As in `{"googleSearch": {}}`: a tool that is named by its only member. */
function isNativeTool(tool: Json): boolean {
  if (!isObject(tool) || "type" in tool) return false;
  const values = Object.values(tool);
  return values.length > 0 && values.every((value) => isObject(value) || isArray(value));
}

export function thinkingConfig(body: JsonObject): JsonObject | undefined {
  return vendorObjects(body)
    .map((vendor) => objectOf(vendor["thinking_config"]))
    .find((config) => config !== undefined);
}

/** Tools that run at the vendor, apart from its web search, which the hub knows by itself. */
export function vendorTools(body: JsonObject): { search: boolean; others: readonly JsonObject[] } {
  const tools = vendorObjects(body).flatMap((vendor) => listOf(vendor["tools"]).filter(isObject));
  const others = tools.map(withoutSearch).filter((tool) => Object.keys(tool).length > 0);
  return { search: tools.some((tool) => Object.keys(tool).some(isSearchName)), others };
}

function withoutSearch(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([name]) => !isSearchName(name)));
}

/** The vendor's object without what the hub took in; `undefined` where nothing is left. */
export function withoutKnown(vendor: Json | undefined, known: readonly string[]): Json | undefined {
  if (!isObject(vendor)) return vendor;
  const rest = Object.fromEntries(Object.entries(vendor).filter(([name]) => !known.includes(name)));
  return Object.keys(rest).length === 0 ? undefined : rest;
}

/**
 * Throws where a vendor's object is written in the words of that vendor's own
 * interface, which would have no effect here, or where it stands at the root,
 * where the rules do not see it, and holds no whole number.
 */
export function checkVendorMembers(body: JsonObject): void {
  const nested = objectOf(body["extra_body"]) ?? NO_MEMBERS;
  for (const name in nested) checkVendor(`extra_body.${name}`, nested[name]);
  for (const name of vendorNames(body)) checkVendor(name, body[name]);
}

const NO_NAMES: readonly string[] = [];
const NO_MEMBERS: JsonObject = {};

const NATIVE_WORDS: ReadonlyMap<string, string> = new Map([
  ["thinkingConfig", "thinking_config"],
  ["thinkingBudget", "thinking_budget"],
  ["includeThoughts", "include_thoughts"],
  ["thinkingLevel", "thinking_level"],
]);

function checkVendor(path: string, vendor: Json | undefined): void {
  const config = memberOf(vendor, "thinking_config");
  checkWords(path, vendor);
  checkWords(`${path}.thinking_config`, config);
  const budget = memberOf(config, "thinking_budget");
  if (budget === undefined || budget === null || integerOf(budget) !== undefined) return;
  const param = `${path}.thinking_config.thinking_budget`;
  throw invalid(param, `'${param}' must be an integer.`);
}

function checkWords(path: string, value: Json | undefined): void {
  if (!isObject(value)) return;
  for (const [native, ours] of NATIVE_WORDS) {
    if (!(native in value)) continue;
    throw invalid(`${path}.${native}`, `'${path}.${native}' is written '${ours}' here.`);
  }
}
