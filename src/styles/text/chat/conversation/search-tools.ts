import { isObject, type Json } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";

/** A name under which callers ask for the vendor's own web search. */
export function isSearchName(name: string): boolean {
  return SEARCH_NAMES.has(name);
}

const SEARCH_NAMES: ReadonlySet<string> = new Set([
  "vendorSearch",
  "googleSearch",
  "google_search",
  "googleSearchRetrieval",
]);

/**
 * A function that stands for the vendor's own search. One that takes arguments
 * is the caller's own, whatever its name: they want to be asked.
 */
export function isSearchTool(tool: Json): boolean {
  if (!isObject(tool) || (tool["type"] ?? "function") !== "function") return false;
  const name = textOf(memberOf(tool["function"], "name")) ?? "";
  const properties = memberOf(memberOf(tool["function"], "parameters"), "properties");
  return isSearchName(name) && (!isObject(properties) || Object.keys(properties).length === 0);
}
