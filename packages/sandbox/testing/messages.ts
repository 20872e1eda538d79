import { createParser } from "eventsource-parser";
import { isJsonArray, parseJson, type Json, type JsonObject } from "../json.ts";
import type { Sandbox } from "../server.ts";
import { asObject, at, textAt } from "./chat.ts";

/** Requests to the messages simulator without anybody's client in between. */
export function postMessages(
  sandbox: Sandbox,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/messages",
): Promise<Response> {
  return fetch(`${sandbox.url}/anthropic${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-api-key": "sk-test",
      "anthropic-version": "2023-06-01",
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

/** A request with one message of the user. */
export function say(text: string, extra: JsonObject = {}): JsonObject {
  const messages = [{ role: "user", content: text }];
  return { model: "claude-sonnet-4-5", max_tokens: 4_096, messages, ...extra };
}

export const FORECAST: JsonObject = {
  name: "get_weather",
  description: "Current weather of a city",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

export const SEARCH: JsonObject = { type: "web_search_20250305", name: "web_search" };

export async function messageTo(
  sandbox: Sandbox,
  body: JsonObject,
  headers?: Readonly<Record<string, string>>,
): Promise<JsonObject> {
  return asObject(parseJson(await (await postMessages(sandbox, body, headers)).text()));
}

/** The events of a stream, with their names, read by a parser that is not ours. */
export async function eventsOf(
  sandbox: Sandbox,
  body: JsonObject,
  headers?: Readonly<Record<string, string>>,
): Promise<readonly NamedEvent[]> {
  const response = await postMessages(sandbox, { ...body, stream: true }, headers);
  return namedEvents(await response.text());
}

export interface NamedEvent {
  readonly name: string | undefined;
  readonly data: JsonObject;
}

export function namedEvents(text: string): readonly NamedEvent[] {
  const found: NamedEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => found.push({ name: event, data: asObject(parseJson(data)) }),
  });
  parser.feed(`${text}\n\n`);
  return found;
}

/** The blocks of a whole answer. */
export function blocksOf(answer: JsonObject): readonly Json[] {
  const content = answer["content"];
  return isJsonArray(content) ? content : [];
}

/** The blocks that a stream makes, put together as a client does. */
export function assembled(events: readonly NamedEvent[]): readonly JsonObject[] {
  const blocks: Record<string, Json>[] = [];
  const inputs: string[] = [];
  for (const { data } of events) {
    const index = Number(data["index"]);
    const block = blocks[index];
    if (data["type"] === "content_block_start") {
      blocks[index] = { ...asObject(at(data, "content_block")) };
      inputs[index] = "";
    }
    if (data["type"] !== "content_block_delta" || block === undefined) continue;
    const delta = asObject(data["delta"]);
    for (const name of ["text", "thinking", "signature"])
      if (name in delta) block[name] = textAt(block, name) + textAt(delta, name);
    if ("partial_json" in delta) inputs[index] += textAt(delta, "partial_json");
    if (inputs[index] !== "") block["input"] = parseJson(inputs[index] ?? "") ?? null;
    const { citations } = block;
    if ("citation" in delta && isJsonArray(citations))
      block["citations"] = [...citations, delta["citation"] ?? null];
  }
  return blocks;
}
