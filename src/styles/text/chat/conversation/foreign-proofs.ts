import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { callSignature } from "./call-signature.ts";
import { isIssuedHere, withoutForeign } from "./reasoning-details.ts";

/**
 * A conversation may have begun with a vendor of another style, whose proofs
 * the caller was given to keep: no vendor of this style is sent them. Empty
 * where there are none, so that the caller's bytes can stay.
 */
export function withoutForeignProofs(body: JsonObject): { messages?: Json } {
  const { messages } = body;
  if (!isArray(messages)) return {};
  let isChanged = false;
  const kept = messages.map((message) => {
    const own = isObject(message) ? withoutProofs(message) : message;
    if (own !== message) isChanged = true;
    return own;
  });
  return isChanged ? { messages: kept } : {};
}

function withoutProofs(message: JsonObject): JsonObject {
  const { reasoning_details: details, tool_calls: calls } = message;
  if (details === undefined && calls === undefined) return message;
  const keptDetails = withoutForeign(details);
  const keptCalls = isArray(calls) && calls.some(isForeign) ? calls.map(withoutProof) : calls;
  if (keptDetails === details && keptCalls === calls) return message;
  const { reasoning_details: _, ...rest } = message;
  return {
    ...rest,
    ...(keptDetails === undefined ? {} : { reasoning_details: keptDetails }),
    ...(keptCalls === undefined ? {} : { tool_calls: keptCalls }),
  };
}

function isForeign(call: Json): boolean {
  return isObject(call) && !isIssuedHere(callSignature(call["extra_content"]));
}

function withoutProof(call: Json): Json {
  if (!isObject(call) || !isForeign(call)) return call;
  const { extra_content: _, ...rest } = call;
  return rest;
}
