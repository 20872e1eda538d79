import type { ChatRequest, Tool, WebSearch } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { parsePlace } from "#styles/text/search-place.ts";
import { clientToolOf } from "./client-tools.ts";
import { MESSAGES } from "../raw-fields.ts";

interface Tools extends Pick<ChatRequest, "tools" | "webSearch"> {
  /** Those that a vendor runs or trained its models for: to be carried or reported. */
  readonly unknown?: readonly Json[];
}

export function parseTools(body: JsonObject): Tools {
  const known: Tool[] = [];
  const unknown: Json[] = [];
  let webSearch: WebSearch | undefined;
  for (const one of listOf(body["tools"])) {
    const tool = isObject(one) ? parseTool(one) : undefined;
    if (tool !== undefined) known.push(tool);
    else if (webSearch === undefined && isWebSearch(one)) webSearch = parseWebSearch(one);
    else unknown.push(one);
  }
  return defined({
    tools: known.length === 0 ? undefined : known,
    webSearch,
    unknown: unknown.length === 0 ? undefined : unknown,
  });
}

const TOOL_MEMBERS = new Set(["type", "name", "description", "input_schema", "strict"]);

const CLIENT_MEMBERS = new Set(["type", "name"]);

function parseTool(wire: JsonObject): Tool | undefined {
  const name = textOf(wire["name"]);
  const client = clientToolOf(wire);
  if (client !== undefined && name !== undefined) {
    const rest = restOf(wire, CLIENT_MEMBERS);
    const extra = rest === undefined ? {} : { extra: { [MESSAGES]: rest } };
    return { kind: "function", name, ...client, ...extra, rawFields: { [MESSAGES]: wire } };
  }
  const isOwn = (wire["type"] ?? "custom") === "custom";
  if (!isOwn || name === undefined) return undefined;
  const rest = restOf(wire, TOOL_MEMBERS);
  return {
    kind: "function",
    name,
    ...defined({
      description: textOf(wire["description"]),
      parameters: objectOf(wire["input_schema"]),
      strict: flagOf(wire["strict"]),
      extra: rest === undefined ? undefined : { [MESSAGES]: rest },
    }),
  };
}

const WEB_SEARCH = /^web_search_\d{8}$/;

/** Whatever its date; a tool that is only called so is the caller's own. */
function isWebSearch(wire: Json): wire is JsonObject {
  return WEB_SEARCH.test(textOf(memberOf(wire, "type")) ?? "");
}

function parseWebSearch(wire: JsonObject): WebSearch {
  const place = objectOf(wire["user_location"]);
  return defined({
    maxUses: integerOf(wire["max_uses"]),
    allowedDomains: textsOf(wire["allowed_domains"]),
    blockedDomains: textsOf(wire["blocked_domains"]),
    location: place && parsePlace(place),
  });
}

function textsOf(value: Json | undefined): readonly string[] | undefined {
  const texts = listOf(value).filter((one) => typeof one === "string");
  return texts.length === 0 ? undefined : texts;
}

/** No choice where it is one that only some vendor knows. */
export function parseToolChoice(
  body: JsonObject,
): Pick<ChatRequest, "toolChoice" | "parallelToolCalls"> {
  const wire = body["tool_choice"];
  const isSerial = flagOf(memberOf(wire, "disable_parallel_tool_use"));
  return defined({
    toolChoice: choiceOf(wire),
    parallelToolCalls: isSerial === undefined ? undefined : !isSerial,
  });
}

function choiceOf(wire: Json | undefined): ChatRequest["toolChoice"] {
  const name = textOf(memberOf(wire, "name"));
  switch (memberOf(wire, "type")) {
    case "auto":
      return { mode: "auto" };
    case "none":
      return { mode: "none" };
    case "any":
      return { mode: "required" };
    case "tool":
      return name === undefined ? undefined : { mode: "named", name, kind: "function" };
    default:
      return undefined;
  }
}
