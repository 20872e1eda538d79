import type { ChatRequest } from "#core/chat.ts";
import type { CallWants } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, listOf, textOf } from "#lib/values.ts";
import { readFields } from "./hub-fields.ts";
import { parseMessages } from "../conversation/message-in.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { isSearchTool } from "../conversation/search-tools.ts";
import { CHAT } from "../raw-fields.ts";
import { vendorTools } from "./vendor-members.ts";
import { parseWebSearch } from "./web-search.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const { fields, raw, rest } = readFields(body);
  return {
    model: textOf(body["model"]) ?? "",
    messages: parseMessages(listOf(body["messages"])),
    stream: body["stream"] === true,
    ...fields,
    ...defined({ extra: extraOf(body, rest) }),
    rawFields: { [CHAT]: raw },
  };
}

/** Lists of tools are not read further: any tool counts, and the older functions do, too. */
export function wantsOf(body: JsonObject): CallWants {
  const tools = [...listOf(body["tools"]), ...listOf(body["functions"])];
  return {
    hasTools: tools.some((tool) => !isSearchTool(tool)),
    searches: parseWebSearch(body) !== undefined,
    reasoning: parseReasoning(body),
  };
}

/** A vendor's own tools are in the words of that vendor's native style, so that its upstreams get them. */
function extraOf(body: JsonObject, rest: JsonObject | undefined): ChatRequest["extra"] {
  const native = vendorTools(body).others;
  if (rest === undefined && native.length === 0) return undefined;
  return {
    ...(rest === undefined ? {} : { [CHAT]: rest }),
    ...(native.length === 0 ? {} : { gemini: { tools: native } }),
  };
}
