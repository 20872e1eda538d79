import type { ChatRequest, Message, OutputFormat } from "#core/chat.ts";
import type { CallWants, MessagePlace } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import {
  defined,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  pick,
  restOf,
  textOf,
} from "#lib/values.ts";
import { askedCitations } from "./asked-citations.ts";
import { parseContent } from "./block-in.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { MESSAGES, READ_MEMBERS, SPELLED_MEMBERS } from "./spelling.ts";
import { parseToolChoice, parseTools } from "./tool-in.ts";

/** Of a body that `readRequest` has let through. */
export function parseRequest(body: JsonObject): ChatRequest {
  const { unknown, ...tools } = parseTools(body);
  const choice = parseToolChoice(body);
  const stop = parseStop(body);
  return {
    model: textOf(body["model"]) ?? "",
    messages: [
      ...parseSystem(body["system"]),
      ...listOf(body["messages"]).filter(isObject).map(parseMessage),
    ],
    stream: body["stream"] === true,
    sampling: defined({
      temperature: numberOf(body["temperature"]),
      topP: numberOf(body["top_p"]),
      topK: integerOf(body["top_k"]),
    }),
    ...tools,
    ...choice,
    ...defined({
      maxOutputTokens: integerOf(body["max_tokens"]),
      stop: stop.length === 0 ? undefined : stop,
      format: parseFormat(body),
      reasoning: parseReasoning(body),
      ...parseMetadata(body),
      extra: extraOf(body, {
        tools: unknown,
        tool_choice: choice.toolChoice === undefined ? body["tool_choice"] : undefined,
      }),
    }),
    spelling: { [MESSAGES]: pick(body, SPELLED_MEMBERS) },
  };
}

export function parseStop(body: JsonObject): readonly string[] {
  return listOf(body["stop_sequences"]).filter((one) => typeof one === "string");
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
    { role: "system", blocks, spelling: { [MESSAGES]: spelled(system, { field: "system" }) } },
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
    spelling: { [MESSAGES]: spelled(content) },
  };
}

function spelled(content: Json | undefined, more: JsonObject = {}): JsonObject {
  return typeof content === "string" ? { ...more, text: true } : more;
}

/** One that only some vendor knows stays where it is. */
export function parseFormat(body: JsonObject): OutputFormat | undefined {
  // The second is how it was called while it was on trial.
  const format = memberOf(body["output_config"], "format") ?? body["output_format"];
  if (memberOf(format, "type") !== "json_schema") return undefined;
  return {
    type: "json_schema",
    name: "response",
    ...defined({ schema: objectOf(memberOf(format, "schema")) }),
  };
}

const USER = new Set(["user_id"]);

export function parseMetadata(body: JsonObject): {
  readonly user?: string | undefined;
  readonly metadata?: JsonObject | undefined;
} {
  const metadata = objectOf(body["metadata"]);
  return defined({
    user: textOf(metadata?.["user_id"]),
    metadata: metadata === undefined ? undefined : restOf(metadata, USER),
  });
}

const CONFIG_MEMBERS = new Set(["effort", "format"]);

function extraOf(
  body: JsonObject,
  unknown: Readonly<Record<string, Json | undefined>>,
): ChatRequest["extra"] {
  const { output_config: config, output_format: format } = body;
  const isRead = parseFormat(body) !== undefined;
  const rest = {
    ...restOf(body, READ_MEMBERS),
    ...defined({
      ...unknown,
      output_config: isObject(config)
        ? restOf(config, isRead ? CONFIG_MEMBERS : new Set(["effort"]))
        : undefined,
      output_format: isRead ? undefined : (format ?? undefined),
    }),
  };
  return Object.keys(rest).length === 0 ? undefined : { [MESSAGES]: rest };
}
