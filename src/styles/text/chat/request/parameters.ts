import type { WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { numberOf, objectOf, textOf } from "#lib/values.ts";

/** A field of one family stands in `parameters`; what is said at the top level counts for more. */
export function readParameter(body: JsonObject, name: string): Json | undefined {
  return body[name] ?? objectOf(body["parameters"])?.[name] ?? undefined;
}

export function parseTemperature(body: JsonObject): number | undefined {
  return numberOf(readParameter(body, "temperature"));
}

export function parseTopP(body: JsonObject): number | undefined {
  return numberOf(readParameter(body, "top_p"));
}

/** The family's switch for searching the web, and where it is to look. */
export function parseSearchSwitch(body: JsonObject): WebSearch | undefined {
  if (readParameter(body, "enable_search") !== true) return undefined;
  const region = textOf(objectOf(readParameter(body, "search_options"))?.["region"]);
  return region === undefined ? {} : { location: { region } };
}

/** What of the family's parameters the hub has no place for. */
export function restOfParameters(body: JsonObject): Record<string, Json> {
  const { parameters } = body;
  const outer = restOfSearch(body["search_options"]);
  const inner = isObject(parameters) ? restOf(parameters) : {};
  return {
    ...(outer === undefined ? {} : { search_options: outer }),
    ...(Object.keys(inner).length === 0 ? {} : { parameters: inner }),
  };
}

const KNOWN: ReadonlySet<string> = new Set([
  "temperature",
  "top_p",
  "thinking_budget",
  "enable_search",
  "search_options",
]);

function restOf(parameters: JsonObject): Record<string, Json> {
  const rest: Record<string, Json> = {};
  for (const [name, value] of Object.entries(parameters)) {
    // Pieces that add up are what every other family sends anyway.
    const isDefault = name === "incremental_output" && value === true;
    const isSet = value !== undefined && value !== null;
    if (isSet && !KNOWN.has(name) && !isDefault) rest[name] = value;
  }
  const search = restOfSearch(parameters["search_options"]);
  return search === undefined ? rest : { ...rest, search_options: search };
}

function restOfSearch(options: Json | undefined): Json | undefined {
  if (!isObject(options)) return undefined;
  const { region: _, ...rest } = options;
  return Object.keys(rest).length === 0 ? undefined : rest;
}
