import type { ReasoningBlock } from "#core/chat.ts";
import { readSignature, writeSignature, type Signature } from "#core/signature.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { MESSAGES } from "../raw-fields.ts";

/**
 * Thinking that is wholly encrypted is a block of another type. Its data is
 * marked in the signature, which other styles carry without looking into it;
 * what vendors give out is base64 and has no colon.
 */
const REDACTED = "redacted:";

/** An empty signature is none: it stands where the style requires one. */
export function readProof(signature: Json | undefined): Signature | undefined {
  const text = textOf(signature);
  return text === undefined || text === "" ? undefined : readSignature(text, MESSAGES);
}

export function readRedacted(data: Json | undefined): Signature {
  return { issuer: MESSAGES, value: REDACTED + (textOf(data) ?? "") };
}

export function isRedacted(signature: Signature | undefined): boolean {
  return signature?.issuer === MESSAGES && signature.value.startsWith(REDACTED);
}

/** Given out by an upstream of this style, and so fit to go back to one. */
export function isGenuine({ signature }: ReasoningBlock): boolean {
  return signature?.issuer === MESSAGES && signature.value !== "";
}

/** For a caller, who gets every signature; or for an upstream, once it is known to be genuine. */
export function buildReasoning(text: string, signature: Signature | undefined): JsonObject {
  if (signature !== undefined && isRedacted(signature)) {
    return { type: "redacted_thinking", data: signature.value.slice(REDACTED.length) };
  }
  return {
    type: "thinking",
    thinking: text,
    signature: signature === undefined ? "" : writeSignature(signature, MESSAGES),
  };
}
