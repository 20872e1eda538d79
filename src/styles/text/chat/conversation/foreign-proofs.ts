import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { callSignature } from "./call-signature.ts";
import { isIssuedHere, withoutForeign } from "./reasoning-details.ts";

/**
 * A conversation may have begun with a vendor of another style, whose proofs
 * the caller was given to keep: no vendor of this style is sent them. The messages
 * without them; undefined if there are none, so that the caller's bytes can stay.
 */
export function withoutForeignProofs({ messages }: JsonObject): Json | undefined {
  if (!isArray(messages)) return undefined;
  for (const message of messages) {
    if (ownOf(message) !== message) return messages.map(ownOf);
  }
  return undefined;
}

function ownOf(message: Json): Json {
  return isObject(message) ? withoutProofs(message) : message;
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
