import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import { isArray, isObject, reviveJson, type JsonObject, type Revive } from "#lib/json.ts";
import { yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { shortenJson } from "#lib/short-json.ts";

/** An answer that came in one piece, ready for the caller. */
export interface WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  takeOutputText(): string;
  readonly lost: readonly string[];
}

/** What a whole answer says, whichever style it is in. */
export function parseAnswer(bytes: Uint8Array): JsonObject {
  return objectIn(new TextDecoder().decode(bytes));
}

/** The same in steps, between which other calls have their turn. `listAs`: as which member a list is read. */
export async function parseLargeAnswer(bytes: Uint8Array, listAs?: string): Promise<JsonObject> {
  await yieldToEventLoop(bytes.length);
  const text = new TextDecoder().decode(bytes);
  await yieldToEventLoop(bytes.length);
  const json = objectIn(text, listAs);
  // It is about to be written out again.
  await yieldToEventLoop(bytes.length);
  return json;
}

/** The same where long base64 is known for what it is: it is left where it stands. */
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
