import type { ChatRequest } from "#core/chat.ts";
import type { CallWants, RequestFacts } from "#core/style.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf, pick } from "#lib/values.ts";
import { parseMessages } from "../conversation/content-in.ts";
import { flatBody, withoutEmpty } from "./flat-body.ts";
import { readFields } from "./hub-fields.ts";
import { camelized } from "./names.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { GEMINI } from "../raw-fields.ts";
import { parseTools } from "../conversation/tool-in.ts";

/** Of a body that `readRequest` has let through; its model stands in the path. */
export function parseRequest(written: JsonObject, facts: RequestFacts): ChatRequest {
  const body = camelized(written);
  const { fields, raw, rest = {} } = readFields(flatBody(body));
  const unknown = withoutEmpty(rest);
  return {
    model: facts.model,
    messages: parseMessages(body),
    stream: facts.stream,
    ...fields,
    ...(unknown === undefined ? {} : { extra: { [GEMINI]: unknown } }),
    rawFields: { [GEMINI]: raw },
  };
}

export function wantsOf(written: JsonObject): CallWants {
  const { tools: wire, generationConfig } = camelized(pick(written, WANT_MEMBERS));
  const tools = parseTools(wire);
  return {
    hasTools: tools.functions !== undefined,
    searches: tools.webSearch !== undefined,
    reasoning: parseReasoning(objectOf(generationConfig)?.["thinkingConfig"]),
  };
}

const WANT_MEMBERS = ["tools", "generationConfig", "generation_config"];
