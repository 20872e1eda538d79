import type { Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { fromSchemaSubset } from "../request/schema-in.ts";
import { GEMINI } from "../raw-fields.ts";

/** What a list of tools holds: functions, search, and what only this style knows. */
interface ReadTools {
  readonly functions?: readonly Tool[];
  readonly webSearch?: WebSearch;
  /** How to search, which is this vendor's own matter; that it is wanted stands above. */
  readonly searchConfig?: JsonObject;
  readonly others?: readonly JsonObject[];
}

/** Names of the search tool: the vendor's, the older vendor's, and the specification's. */
export const SEARCH_TOOLS = ["googleSearch", "vendorSearch", "googleSearchRetrieval"] as const;

export function parseTools(wire: Json | undefined): ReadTools {
  const elements = (isObject(wire) ? [wire] : listOf(wire)).filter(isObject);
  const functions = elements
    .flatMap((element) => listOf(element["functionDeclarations"]))
    .filter(isObject)
    .map(parseDeclaration);
  const search = elements.flatMap((element) =>
    SEARCH_TOOLS.map((name) => objectOf(element[name])).filter((found) => found !== undefined),
  );
  const others = elements
    .map((element) => restOf(element, READ))
    .filter((rest) => rest !== undefined);
  return defined({
    functions: functions.length === 0 ? undefined : functions,
    webSearch: search.length === 0 ? undefined : {},
    searchConfig: search.find((config) => Object.keys(config).length > 0),
    others: others.length === 0 ? undefined : others,
  });
}

const READ: ReadonlySet<string> = new Set(["functionDeclarations", ...SEARCH_TOOLS]);

const DECLARED: ReadonlySet<string> = new Set([
  "name",
  "description",
  "parameters",
  "parametersJsonSchema",
]);

function parseDeclaration(declaration: JsonObject): Tool {
  const subset = objectOf(declaration["parameters"]);
  const rest = restOf(declaration, DECLARED);
  return {
    kind: "function",
    name: textOf(declaration["name"]) ?? "",
    ...defined({
      description: textOf(declaration["description"]),
      parameters:
        objectOf(declaration["parametersJsonSchema"]) ??
        (subset === undefined ? undefined : fromSchemaSubset(subset)),
      extra: rest === undefined ? undefined : { [GEMINI]: rest },
    }),
  };
}

/** `undefined` where nothing is asked, or in a word that nobody knows. */
export function parseToolChoice(calling: Json | undefined): ToolChoice | undefined {
  const written = memberOf(calling, "allowedFunctionNames");
  const names = isArray(written) ? written.filter((name) => typeof name === "string") : [];
  switch (textOf(memberOf(calling, "mode"))?.toUpperCase()) {
    case "AUTO":
      return { mode: "auto" };
    case "NONE":
      return { mode: "none" };
    case "ANY":
      return names.length === 0 ? { mode: "required" } : chosen(names, true);
    case "VALIDATED":
      return names.length === 0 ? { mode: "auto" } : allowed(names, false);
    default:
      return undefined;
  }
}

/** Calls, or words, of which the calls are held to their schemas: others have no such choice. */
export function isValidated(calling: Json | undefined): boolean {
  return textOf(memberOf(calling, "mode"))?.toUpperCase() === "VALIDATED";
}

function chosen(names: readonly string[], required: boolean): ToolChoice {
  const [name] = names;
  return names.length === 1 && name !== undefined
    ? { mode: "named", name, kind: "function" }
    : allowed(names, required);
}

function allowed(names: readonly string[], required: boolean): ToolChoice {
  const tools = names.map((name) => ({ kind: "function" as const, name }));
  return { mode: "allowed", required, tools };
}
