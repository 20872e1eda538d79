import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import { isArray, isObject, reviveJson, type JsonObject, type Revive } from "#lib/json.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { shortenJson } from "#lib/short-json.ts";

/** A complete response, ready for the client. */
export interface WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  takeOutputText(): string;
  readonly lost: readonly string[];
}

/** Parses a non-streaming response of any style. */
export function parseAnswer(bytes: Uint8Array): JsonObject {
  return objectIn(new TextDecoder().decode(bytes));
}

/**
 * The same in steps, between which other calls run. `listAs`: the member name for a top-level
 * array.
 */
export async function parseLargeAnswer(bytes: Uint8Array, listAs?: string): Promise<JsonObject> {
  await yieldToEventLoop(bytes.length);
  const text = new TextDecoder().decode(bytes);
  await yieldToEventLoop(bytes.length);
  const json = objectIn(text, listAs);
  // It will be written again, so yield first.
  await yieldToEventLoop(bytes.length);
  return json;
}

/** The same, without copying long base64 strings. */
export async function parsePlacedAnswer(bytes: Uint8Array, listAs?: string): Promise<JsonObject> {
  const short = await shortenJson(bytes);
  await yieldToEventLoop(short.bytes.length);
  return objectIn(new TextDecoder().decode(short.bytes), listAs, short.revive);
}

function objectIn(text: string, listAs?: string, revive?: Revive): JsonObject {
  const json = reviveJson(text, revive);
  if (isObject(json)) return json;
  if (isArray(json) && listAs !== undefined) return { [listAs]: json };
  throw new GatewayError("upstream_failed", "The upstream's answer is not a JSON object.");
}
