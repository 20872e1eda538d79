import type { ChatRequest } from "#core/chat.ts";
import type { CallWants } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { ToolNames } from "../conversation/declared-tools.ts";
import { parseReasoning, readFields } from "./hub-fields.ts";
import { parseConversation } from "../conversation/item-in.ts";
import { normalize } from "../conversation/normalize.ts";
import { RESPONSES } from "../raw-fields.ts";
import { parseTools } from "../conversation/tool-in.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const wire = { ...body, ...normalize(body) };
  const { fields, raw, rest } = readFields(wire);
  return {
    model: textOf(wire["model"]) ?? "",
    messages: parseConversation(wire, new ToolNames(fields.tools)),
    stream: wire["stream"] === true,
    ...fields,
    ...(rest === undefined ? {} : { extra: { [RESPONSES]: rest } }),
    rawFields: { [RESPONSES]: raw },
  };
}

export function wantsOf(body: JsonObject): CallWants {
  const { tools, webSearch } = parseTools({ ...body, ...normalize(body) });
  return {
    hasTools: tools !== undefined,
    searches: webSearch !== undefined,
    reasoning: parseReasoning(body),
  };
}
