import type { JSONObject, SharedV3ProviderOptions } from "@ai-sdk/provider";
import type { Signature } from "#core/signature.ts";
import { parseJson } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import {
  buildReasoning,
  isRedacted,
  readRedacted,
} from "#styles/text/messages/conversation/proof.ts";
import type { PackageTraits } from "./traits.ts";
import { isMembers, membersOf, textIn } from "./unknown.ts";

/** Owner of what no style of ours knows: the package's own metadata, as it came. */
export const AI_SDK = "ai-sdk";
const PROOFS = /signature|encrypted|redacted/i;

/** Out of the metadata of one part. What proves nothing is no signature. */
export function readProof(metadata: unknown, { proof }: PackageTraits): Signature | undefined {
  for (const own of Object.values(membersOf(metadata))) {
    const signature = textIn(own, "signature");
    if (proof === "messages" && signature) return { issuer: proof, value: signature };
    const redacted = textIn(own, "redactedData");
    if (proof === "messages" && redacted) return readRedacted(redacted);
    const thought = textIn(own, "thoughtSignature");
    if (proof === "gemini" && thought) return { issuer: proof, value: thought };
    const isProof = Object.entries(membersOf(own)).some(
      ([name, value]) => PROOFS.test(name) && value !== undefined && value !== null && value !== "",
    );
    if (isProof) return { issuer: AI_SDK, value: JSON.stringify(metadata) };
  }
  return undefined;
}

/** As options of a part; undefined where this package cannot read it. */
export function writeProof(
  signature: Signature | undefined,
  traits: PackageTraits,
): SharedV3ProviderOptions | undefined {
  const { key, proof } = traits;
  if (signature === undefined || signature.value === "") return undefined;
  if (signature.issuer === AI_SDK) return ownMetadata(signature.value, traits);
  if (signature.issuer !== proof) return undefined;
  if (proof === "gemini") return { [key]: { thoughtSignature: signature.value } };
  return isRedacted(signature)
    ? { [key]: { redactedData: textOf(buildReasoning("", signature)["data"]) } }
    : { [key]: { signature: signature.value } };
}

/** It was written by `readProof`, or made up by the caller: then the package says what is wrong. */
function ownMetadata(
  text: string,
  { key, isGuessed }: PackageTraits,
): SharedV3ProviderOptions | undefined {
  const own = Object.entries(membersOf(parseJson(text))).filter(
    (entry): entry is [string, JSONObject] =>
      isJsonObject(entry[1]) && (isGuessed === true || entry[0] === key),
  );
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** What `JSON.parse` made of a text is nothing else, where it is an object. */
function isJsonObject(value: unknown): value is JSONObject {
  return isMembers(value);
}
