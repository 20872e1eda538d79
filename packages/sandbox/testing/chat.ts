import { connect } from "node:net";
import { createParser } from "eventsource-parser";
import {
  isJsonArray,
  isJsonObject,
  jsonText,
  parseJson,
  type Json,
  type JsonObject,
} from "../json.ts";
import type { Sandbox } from "../server.ts";

/** Requests to the sandbox without anybody's client in between. */
export function post(
  sandbox: Sandbox,
  body: JsonObject,
  init: { readonly key?: string; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${sandbox.url}/openai/v1/chat/completions`, {
    method: "POST",
    redirect: "manual",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${init.key ?? "sk-test"}`,
    },
    body: JSON.stringify(body),
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
}

/** A request with one message of the user. */
export function ask(text: string, extra: JsonObject = {}): JsonObject {
  return { model: "gpt-4o-mini", messages: [{ role: "user", content: text }], ...extra };
}

/** Of a request: streamed, with usage at the end. */
export const COUNTED: JsonObject = { stream: true, stream_options: { include_usage: true } };

export const WEATHER: JsonObject = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

/** A whole stream, as it came. */
export async function streamText(sandbox: Sandbox, text: string): Promise<string> {
  return (await post(sandbox, ask(text, COUNTED))).text();
}

/** What is on the wire, headers and chunk sizes included. */
export function rawExchange(sandbox: Sandbox, body: JsonObject): Promise<RawExchange> {
  const json = JSON.stringify(body);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let error: string | undefined;
    const socket = connect(sandbox.port, "127.0.0.1", () => {
      socket.write(
        "POST /openai/v1/chat/completions HTTP/1.1\r\nHost: sandbox\r\nAuthorization: Bearer x\r\nConnection: close\r\n" +
          `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
      );
    });
    socket.on("data", (part) => parts.push(Buffer.from(part)));
    socket.on("error", (cause: NodeJS.ErrnoException) => (error = cause.code));
    socket.on("close", () => resolve({ received: Buffer.concat(parts), error }));
  });
}

interface RawExchange {
  readonly received: Buffer;
  /** The code of the socket's error, such as ECONNRESET. */
  readonly error: string | undefined;
}

export async function answerTo(sandbox: Sandbox, body: JsonObject): Promise<JsonObject> {
  return asObject(parseJson(await (await post(sandbox, body)).text()));
}

/** The data of all events, read by a parser that is not ours. */
export function eventsIn(text: string): readonly string[] {
  const found: string[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event.data) });
  parser.feed(text);
  // A carriage return at the very end waits for what follows: a comment, which is no event.
  parser.feed(":\n");
  return found;
}

export async function chunksOf(sandbox: Sandbox, body: JsonObject): Promise<readonly JsonObject[]> {
  const events = eventsIn(await (await post(sandbox, { stream: true, ...body })).text());
  return events.filter((data) => data !== "[DONE]").map((data) => asObject(parseJson(data)));
}

/** `at(completion, "choices", 0, "message", "content")` */
export function at(
  value: Json | undefined,
  ...path: readonly (string | number)[]
): Json | undefined {
  return path.reduce<Json | undefined>((part, step) => {
    if (isJsonArray(part)) return part[Number(step)];
    return isJsonObject(part) ? part[step] : undefined;
  }, value);
}

/** The text that a stream carries. */
export function textIn(stream: string): string {
  const events = eventsIn(stream).filter((data) => data !== "[DONE]");
  return contentOf(events.map((data) => asObject(parseJson(data))));
}

export function contentOf(chunks: readonly JsonObject[], choice = 0): string {
  const deltas = chunks.filter((chunk) => at(chunk, "choices", 0, "index") === choice);
  return deltas.map((chunk) => textAt(chunk, "choices", 0, "delta", "content")).join("");
}

/** The same as a text; nothing is an empty one. */
export function textAt(value: Json | undefined, ...path: readonly (string | number)[]): string {
  return jsonText(at(value, ...path) ?? "");
}

export function asObject(value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) throw new TypeError(`Not an object: ${JSON.stringify(value)}`);
  return value;
}
