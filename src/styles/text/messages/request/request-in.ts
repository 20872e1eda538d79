import type { ChatRequest, Message } from "#core/chat.ts";
import type { CallWants, MessagePlace } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, restOf, textOf } from "#lib/values.ts";
import { askedCitations } from "./asked-citations.ts";
import { parseContent } from "../conversation/block-in.ts";
import { readFields } from "./hub-fields.ts";
import { parseReasoning } from "../conversation/reasoning-in.ts";
import { MESSAGES } from "../raw-fields.ts";
import { parseTools } from "../conversation/tool-in.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const { fields, raw, rest } = readFields(body);
  return {
    model: textOf(body["model"]) ?? "",
    messages: [
      ...parseSystem(body["system"]),
      ...listOf(body["messages"]).filter(isObject).map(parseMessage),
    ],
    stream: body["stream"] === true,
    ...fields,
    ...(rest === undefined ? {} : { extra: { [MESSAGES]: rest } }),
    rawFields: { [MESSAGES]: raw },
  };
}

export function wantsOf(body: JsonObject): CallWants {
  const { tools, webSearch } = parseTools(body);
  return {
    hasTools: tools !== undefined,
    searches: webSearch !== undefined,
    reasoning: parseReasoning(body),
  };
}

/** Where each of the request's messages stands in the body. */
export function placesOf(body: JsonObject): readonly MessagePlace[] {
  return [
    ...parseSystem(body["system"]).map(() => ({ path: "system" })),
    ...listOf(body["messages"])
      .filter(isObject)
      .map((_, index) => ({ path: `messages[${index}]` })),
  ];
}

function parseSystem(system: Json | undefined): readonly Message[] {
  const blocks = parseContent(system);
  if (blocks.length === 0) return [];
  return [
    { role: "system", blocks, rawFields: { [MESSAGES]: rawContent(system, { field: "system" }) } },
  ];
}

const MESSAGE_MEMBERS = new Set(["role", "content"]);

function parseMessage(wire: JsonObject): Message {
  const { role, content } = wire;
  const rest = { ...restOf(wire, MESSAGE_MEMBERS), ...askedCitations(content) };
  return {
    role: role === "assistant" || role === "system" ? role : "user",
    blocks: parseContent(content),
    ...(Object.keys(rest).length === 0 ? {} : { extra: { [MESSAGES]: rest } }),
    rawFields: { [MESSAGES]: rawContent(content) },
  };
}

function rawContent(content: Json | undefined, more: JsonObject = {}): JsonObject {
  return typeof content === "string" ? { ...more, text: true } : more;
}
