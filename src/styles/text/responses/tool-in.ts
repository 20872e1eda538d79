import type { Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { parsePlace } from "#styles/text/search-place.ts";
import { parseAllowed } from "#styles/text/allowed-tools.ts";
import { RESPONSES } from "./spelling.ts";

/** What a caller's tools are to the hub, and what only this style has, by its type. */
export interface ParsedTools {
  readonly tools?: readonly Tool[];
  readonly webSearch?: WebSearch;
  /** `tools.file_search` and the like: they say what another style would lose. */
  readonly hosted?: Readonly<Record<string, Json>>;
}

/** Of a body in the form that `normalize` gives it. */
export function parseTools(body: JsonObject): ParsedTools {
  const tools: Tool[] = [];
  let webSearch: WebSearch | undefined;
  let hosted: Record<string, Json> | undefined;
  for (const one of listOf(body["tools"]).filter(isObject)) {
    const type = textOf(one["type"]) ?? "";
    const tool = parseTool(one);
    if (tool !== undefined) tools.push(tool);
    else if (isWebSearch(type)) {
      webSearch ??= parseWebSearch(one);
      const rest = restOf(one, SEARCH_MEMBERS);
      for (const name in rest) (hosted ??= {})[`tools.web_search.${name}`] = rest[name] ?? null;
    } else (hosted ??= {})[`tools.${type}`] = one;
  }
  return defined({ tools: tools.length === 0 ? undefined : tools, webSearch, hosted });
}

const FUNCTION_MEMBERS = new Set(["type", "name", "description", "parameters", "strict"]);
const CUSTOM_MEMBERS = new Set(["type", "name", "description", "format"]);
const SEARCH_MEMBERS = new Set(["type", "search_context_size", "user_location", "filters"]);

function parseTool(tool: JsonObject): Tool | undefined {
  const { type: kind } = tool;
  const name = textOf(tool["name"]);
  if ((kind !== "function" && kind !== "custom") || name === undefined) return undefined;
  const rest = restOf(tool, kind === "custom" ? CUSTOM_MEMBERS : FUNCTION_MEMBERS);
  return {
    kind,
    name,
    ...defined({
      description: textOf(tool["description"]),
      parameters: objectOf(tool["parameters"]),
      strict: flagOf(tool["strict"]),
      format: kind === "custom" ? parseGrammar(tool["format"]) : undefined,
      extra: rest === undefined ? undefined : { [RESPONSES]: rest },
    }),
  };
}

/** The hub has a grammar's text one level deeper. */
function parseGrammar(format: Json | undefined): JsonObject | undefined {
  if (!isObject(format) || format["type"] !== "grammar") return objectOf(format);
  const { type, ...grammar } = format;
  return { type, grammar };
}

function isWebSearch(type: string): boolean {
  return type.startsWith("web_search");
}

function parseWebSearch(tool: JsonObject): WebSearch {
  const size = tool["search_context_size"];
  const place = objectOf(tool["user_location"]);
  const domains = listOf(memberOf(tool["filters"], "allowed_domains"));
  const allowed = domains.filter((one) => typeof one === "string");
  return defined({
    contextSize: size === "low" || size === "medium" || size === "high" ? size : undefined,
    allowedDomains: allowed.length === 0 ? undefined : allowed,
    location: place && parsePlace(place),
  });
}

/** `undefined` for a choice that only some vendor knows, such as that of a hosted tool. */
export function parseToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body["tool_choice"];
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  const type = memberOf(choice, "type");
  if (type === "allowed_tools") {
    const required = memberOf(choice, "mode") === "required";
    return parseAllowed(memberOf(choice, "tools"), required, RESPONSES);
  }
  const name = textOf(memberOf(choice, "name"));
  if (name === undefined || (type !== "function" && type !== "custom")) return undefined;
  return { mode: "named", name, kind: type };
}
