import type { ChatRequest, Message } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { TextStyle } from "#core/style.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { STYLES } from "./cross-styles.ts";

/** From callers of each style to upstreams of each other one. */
export const DIRECTIONS = STYLES.flatMap(({ style: from }) =>
  STYLES.filter(({ style }) => style !== from).map(
    ({ style: to }) => [from.id, to.id, from, to] as const,
  ),
);

interface Written {
  readonly body: JsonObject;
  readonly lost: readonly string[];
}

/** What an upstream of `to` is asked, where a caller of `from` asked it in their own words. */
export function across(
  asked: Partial<ChatRequest> & Pick<ChatRequest, "messages">,
  from: TextStyle,
  to: TextStyle,
  model: ModelTraits = {},
): Written {
  const request: ChatRequest = { model: "m", stream: false, sampling: {}, ...asked };
  const wire = write(request, from, {}).body;
  return write(read(from, wire, request.stream), to, model);
}

/** The same of what the caller wrote. */
export function translated(
  wire: JsonObject,
  from: TextStyle,
  to: TextStyle,
  model: ModelTraits = {},
): Written {
  return write(read(from, wire, false), to, model);
}

export function read({ inbound }: TextStyle, wire: JsonObject, stream: boolean): ChatRequest {
  return inbound.parseRequest(wire, inbound.readRequest(wire, { model: "m", stream }));
}

function write(request: ChatRequest, { outbound }: TextStyle, model: ModelTraits): Written {
  const report = new LossReport();
  return { body: asObject(outbound.buildRequest(request, { report, model })), lost: report.fields };
}

export function asObject(value: JsonObject): JsonObject {
  const json = parseJson(JSON.stringify(value));
  return isObject(json) ? json : {};
}

export function user(text: string): Message {
  return { role: "user", blocks: [{ type: "text", text }] };
}

/** Every object in a value, the value itself included. */
export function objectsIn(value: Json | undefined): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((one: Json) => objectsIn(one));
  if (!isObject(value)) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}
