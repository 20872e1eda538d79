import type { Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { parsePlace } from "#styles/text/search-place.ts";
import { parseAllowed } from "#styles/text/allowed-tools.ts";
import { clientToolOf, type ClientTool } from "./client-tools.ts";
import { declaredTools, rawDeclarationOf, ToolNames, type DeclaredTool } from "./declared-tools.ts";
import { RESPONSES } from "../raw-fields.ts";

/** What a caller's tools are to the hub, and what only this style has, by its type. */
interface ParsedTools {
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
  for (const declared of declaredTools(body)) {
    const one = declared.wire;
    const type = textOf(one["type"]) ?? "";
    const tool = parseTool(declared);
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
const CLIENT_MEMBERS = new Set(["type", "environment"]);
const SEARCH_MEMBERS = new Set(["type", "search_context_size", "user_location", "filters"]);

function parseTool(declared: DeclaredTool): Tool | undefined {
  const { wire: tool, name } = declared;
  const client = clientToolOf(tool);
  if (client !== undefined) return parseClientTool(declared, client);
  const { type: kind } = tool;
  if ((kind !== "function" && kind !== "custom") || name === "") return undefined;
  const rest = restOf(tool, kind === "custom" ? CUSTOM_MEMBERS : FUNCTION_MEMBERS);
  return {
    kind,
    name,
    ...defined({
      description: describe(declared),
      parameters: objectOf(tool["parameters"]),
      strict: flagOf(tool["strict"]),
      format: kind === "custom" ? parseGrammar(tool["format"]) : undefined,
      extra: rest === undefined ? undefined : { [RESPONSES]: rest },
      rawFields: rawDeclarationOf(declared),
    }),
  };
}

/** A namespace has its own description, which its first tool carries. */
function describe({ wire, about }: DeclaredTool): string | undefined {
  const description = textOf(wire["description"]);
  if (about === undefined) return description;
  return description === undefined ? about : `${about}\n\n${description}`;
}

function parseClientTool(declared: DeclaredTool, client: ClientTool): Tool {
  const { description, parameters } = client;
  const rest = restOf(declared.wire, CLIENT_MEMBERS);
  const skills = listOf(memberOf(declared.wire["environment"], "skills"));
  const extra = { ...rest, ...(skills.length === 0 ? {} : { "environment.skills": skills }) };
  return {
    kind: "function",
    name: declared.name,
    description,
    parameters,
    ...(Object.keys(extra).length === 0 ? {} : { extra: { [RESPONSES]: extra } }),
    ...defined({ rawFields: rawDeclarationOf(declared) }),
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
export function parseToolChoice(
  body: JsonObject,
  names: ToolNames = NO_NAMES,
): ToolChoice | undefined {
  const choice = body["tool_choice"];
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  const type = memberOf(choice, "type");
  if (type === "allowed_tools") {
    const required = memberOf(choice, "mode") === "required";
    const tools = listOf(memberOf(choice, "tools"));
    return parseAllowed(
      tools.map((tool) => withHubName(tool, names)),
      required,
      RESPONSES,
    );
  }
  const chosen = withHubName(choice ?? null, names);
  const name = textOf(memberOf(chosen, "name"));
  const kind = memberOf(chosen, "type");
  if (name === undefined || (kind !== "function" && kind !== "custom")) return undefined;
  return { mode: "named", name, kind };
}

const NO_NAMES = new ToolNames();

/** A choice of a tool, as a choice of the function that the hub has for it. */
function withHubName(choice: Json, names: ToolNames): Json {
  if (!isObject(choice)) return choice;
  const type = textOf(choice["type"]) ?? "";
  if (clientToolOf(choice) !== undefined) {
    return { type: "function", name: names.clientNameOf(type) };
  }
  const name = textOf(choice["name"]);
  if (name === undefined) return choice;
  return { ...choice, name: names.nameOf(textOf(choice["namespace"]), name) };
}
