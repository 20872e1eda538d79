import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import { parseExactJson } from "#lib/exact-number.ts";
import { isArray, isObject, reviveJson, type Json, type JsonObject } from "#lib/json.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { shortenJson } from "#lib/short-json.ts";
import { isWebPage, sentWebPage } from "./web-page.ts";

/** A complete response, ready for the client. */
export interface WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  /** As in `AnswerStream`. */
  readonly inputUsage?: Usage | undefined;
  takeOutputText(): string;
  readonly lost: readonly string[];
}

const utf8 = new TextDecoder();

/** Parses a non-streaming response of any style. */
export function parseAnswer(bytes: Uint8Array): JsonObject {
  return objectIn(reviveJson(utf8.decode(bytes), undefined), bytes);
}

/** The same, with numbers that a double would round digit for digit: arguments of tools may hold them. */
export function parseExactAnswer(bytes: Uint8Array): JsonObject {
  return objectIn(parseExactJson(utf8.decode(bytes)), bytes);
}

/**
 * The same in steps, between which other calls run. `listAs`: the member name for a top-level
 * array.
 */
export async function parseLargeAnswer(bytes: Uint8Array, listAs?: string): Promise<JsonObject> {
  await yieldToEventLoop(bytes.length);
  const text = utf8.decode(bytes);
  await yieldToEventLoop(bytes.length);
  const json = objectIn(reviveJson(text, undefined), bytes, listAs);
  // It will be written again, so yield first.
  await yieldToEventLoop(bytes.length);
  return json;
}

/** The same, without copying long base64 strings. */
export async function parsePlacedAnswer(bytes: Uint8Array, listAs?: string): Promise<JsonObject> {
  const short = await shortenJson(bytes);
  await yieldToEventLoop(short.bytes.length);
  return objectIn(reviveJson(utf8.decode(short.bytes), short.revive), short.bytes, listAs);
}

function objectIn(json: Json | undefined, bytes: Uint8Array, listAs?: string): JsonObject {
  if (isObject(json)) return json;
  if (isArray(json) && listAs !== undefined) return { [listAs]: json };
  if (isWebPage(bytes)) throw sentWebPage();
  throw new GatewayError("upstream_failed", "The upstream's answer is not a JSON object.");
}
