import { readSignature, writeSignature, type Signature } from "#core/signature.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { CHAT } from "../raw-fields.ts";

/** Proof of the thinking behind a call, in its `extra_content`, under whatever vendor's name. */
export function callSignature(content: Json | undefined): Signature | undefined {
  if (!isObject(content)) return undefined;
  for (const name in content) {
    const signature = textOf(memberOf(content[name], "thought_signature"));
    if (signature !== undefined && signature !== "") return readSignature(signature, CHAT);
  }
  return undefined;
}

/** Under the one name that clients look for. */
export function buildCallSignature(signature: Signature): JsonObject {
  return { extra_content: { google: { thought_signature: writeSignature(signature, CHAT) } } };
}
