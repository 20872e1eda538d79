import { GatewayError } from "#core/error.ts";
import type { Usage } from "#core/usage.ts";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";

/** An answer that came in one piece, ready for the caller. */
export interface WholeReading {
  readonly body: Uint8Array | string;
  readonly usage: Usage | undefined;
  takeOutputText(): string;
  readonly lost: readonly string[];
}

/** What a whole answer says, whichever style it is in. */
export function parseAnswer(bytes: Uint8Array): JsonObject {
  const json = parseJson(new TextDecoder().decode(bytes));
  if (isObject(json)) return json;
  throw new GatewayError("upstream_failed", "The upstream's answer is not a JSON object.");
}
