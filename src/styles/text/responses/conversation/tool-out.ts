import type { Tool, ToolChoice, WebSearch } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";
import { otherAllowed } from "#styles/text/allowed-tools.ts";
import type { Built } from "#styles/text/request-fields.ts";
import { fitName, ownName } from "#styles/text/tool-names.ts";
import { RESPONSES } from "../raw-fields.ts";

/**
 * In the flat form. What is not said to be strict is said not to be: here a
 * function is strict where nothing is said, in other styles it is not.
 */
export function buildTool(tool: Tool): JsonObject {
  const { kind, description } = tool;
  const own = tool.extra?.[RESPONSES] ?? {};
  const name = fitName(tool.name);
  if (kind === "custom") {
    const format = tool.format === undefined ? undefined : flatGrammar(tool.format);
    return { ...own, type: kind, name, ...defined({ description, format }) };
  }
  return {
    ...own,
    type: kind,
    name,
    ...defined({ description }),
    parameters: tool.parameters ?? { type: "object", properties: {} },
    strict: tool.strict ?? false,
  };
}

/** The hub has a grammar's text one level deeper. */
function flatGrammar(format: JsonObject): JsonObject {
  const grammar = objectOf(format["grammar"]);
  return grammar === undefined ? format : { type: "grammar", ...grammar };
}

export function buildWebSearch(search: WebSearch): Built<JsonObject> {
  const { contextSize, location, allowedDomains, maxUses, blockedDomains } = search;
  const members = {
    type: "web_search",
    ...defined({
      search_context_size: contextSize,
      user_location: location === undefined ? undefined : { type: "approximate", ...location },
      filters: allowedDomains === undefined ? undefined : { allowed_domains: allowedDomains },
    }),
  };
  return {
    members,
    lost: [
      ...(maxUses === undefined ? [] : ["web_search.max_uses"]),
      ...(blockedDomains === undefined ? [] : ["web_search.blocked_domains"]),
    ],
  };
}

export function buildToolChoice(choice: ToolChoice, report: LossReport): Json {
  switch (choice.mode) {
    case "auto":
    case "none":
    case "required":
      return choice.mode;
    case "named":
      return { type: choice.kind, name: fitName(choice.name) };
    case "allowed": {
      report.loseForeign(choice.extra, RESPONSES, "tool_choice.");
      const tools = choice.tools.map(({ kind, name }) => ({ type: kind, name: fitName(name) }));
      const all = [...tools, ...otherAllowed(choice, RESPONSES)];
      if (all.length === 0)
        throw refuse("tool_choice", "all allowed tools belong to another style.");
      return { type: "allowed_tools", mode: choice.required ? "required" : "auto", tools: all };
    }
  }
}

/** What a caller of this style named, so that an answer is read as that name. */
export function withOwnNames(written: Json): Json {
  if (isArray(written)) return written.map(withOwnNames);
  if (!isObject(written)) return written;
  const name = textOf(written["name"]);
  if (name !== undefined && ownName(name) !== name) return { ...written, name: ownName(name) };
  const { tools } = written;
  return isArray(tools) ? { ...written, tools: withOwnNames(tools) } : written;
}
