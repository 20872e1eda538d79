import type { Tool, ToolChoice } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, flagOf, listOf, memberOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { parseAllowed } from "#styles/text/allowed-tools.ts";
import { isSearchTool } from "./search-tools.ts";
import { CHAT } from "../raw-fields.ts";

interface ReadTools {
  readonly known?: readonly Tool[];
  /** Of a type that is not ours: kept apart, to be carried or reported. */
  readonly unknown?: readonly Json[];
  /** Functions that stand for the vendor's own search, which the hub knows as a wish of its own. */
  readonly search?: readonly Json[];
}

export function parseTools(body: JsonObject): ReadTools {
  const wire = isLegacy(body)
    ? listOf(body["functions"]).map((one) => ({ type: "function", function: one }))
    : listOf(body["tools"]);
  const known: Tool[] = [];
  const unknown: Json[] = [];
  const search: Json[] = [];
  for (const one of wire) {
    const tool = isObject(one) ? parseTool(one) : undefined;
    if (isSearchTool(one)) search.push(one);
    else if (tool === undefined) unknown.push(one);
    else known.push(tool);
  }
  return defined({
    known: filled(known),
    unknown: filled(unknown),
    search: filled(search),
  });
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list;
}

/** The caller wrote `functions`, which came before tools, and expects a `function_call` back. */
export function isLegacy(body: JsonObject): boolean {
  return listOf(body["functions"]).length > 0 && listOf(body["tools"]).length === 0;
}

const TOOL_MEMBERS = new Set(["type", "function", "custom"]);
const FUNCTION_MEMBERS = new Set(["name", "description", "parameters", "strict"]);
const CUSTOM_MEMBERS = new Set(["name", "description", "format"]);

function parseTool(tool: JsonObject): Tool | undefined {
  const type = tool["type"] ?? "function";
  const body = type === "function" || type === "custom" ? tool[type] : undefined;
  const name = textOf(memberOf(body, "name"));
  if (!isObject(body) || name === undefined) return undefined;
  const kind = type === "custom" ? "custom" : "function";
  const inner = restOf(body, kind === "custom" ? CUSTOM_MEMBERS : FUNCTION_MEMBERS);
  const outer = restOf(tool, TOOL_MEMBERS);
  return {
    kind,
    name,
    ...defined({
      description: textOf(body["description"]),
      parameters: objectOf(body["parameters"]),
      strict: flagOf(body["strict"]),
      format: kind === "custom" ? objectOf(body["format"]) : undefined,
      extra:
        inner === undefined && outer === undefined
          ? undefined
          : { [CHAT]: { ...outer, ...(inner === undefined ? {} : { [kind]: inner }) } },
    }),
  };
}

/** `undefined` for a choice that only some vendor knows, such as its own search. */
export function parseToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = readChoice(body);
  const isSearch =
    choice?.mode === "named" &&
    listOf(body["tools"]).some((tool) => isSearchTool(tool) && nameOf(tool) === choice.name);
  return isSearch ? undefined : choice;
}

function nameOf(tool: Json): Json | undefined {
  return memberOf(memberOf(tool, "function"), "name");
}

function readChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body["tool_choice"] ?? body["function_call"];
  if (choice === "auto" || choice === "none" || choice === "required") return { mode: choice };
  if (choice === "any") return { mode: "required" };

  const allowed = memberOf(choice, "allowed_tools");
  if (isObject(allowed)) {
    return parseAllowed(allowed["tools"], allowed["mode"] === "required", CHAT);
  }
  const custom = textOf(memberOf(memberOf(choice, "custom"), "name"));
  if (custom !== undefined) return { mode: "named", name: custom, kind: "custom" };
  const name = textOf(memberOf(memberOf(choice, "function"), "name") ?? memberOf(choice, "name"));
  return name === undefined ? undefined : { mode: "named", name, kind: "function" };
}
