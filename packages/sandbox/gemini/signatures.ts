import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { invalid } from "./error.ts";
import type { Model } from "./models.ts";
import type { Content, Part } from "./proto/content.ts";
import type { Bytes } from "./proto/scalars.ts";

/**
 * The model's thoughts, sealed: callers carry them back unread. Every sandbox
 * knows its own seal again, and no other vendor's.
 */
export function sign(thoughts: string): string {
  const sealed = createHash("sha512").update(thoughts).digest();
  const body = Buffer.concat([Buffer.from([0x12, 0x52, 0x0a, 0x50]), sealed]);
  return Buffer.concat([body, seal(body)]).toString("base64");
}

/**
 * Whatever signature comes back must be a true one. The third generation also
 * wants it on the first call of each step since the user last spoke.
 */
export function checkSignatures(contents: readonly Content[], model: Model): void {
  if (model.thinking === undefined) return;
  const parts = contents.flatMap(({ parts: each = [] }) => each);
  if (parts.some(({ thoughtSignature }) => isFalse(thoughtSignature)))
    throw invalid("Corrupted thought signature.");
  if (model.generation !== "3") return;

  const missing = unsignedCall(contents);
  if (missing === undefined) return;
  throw invalid(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${missing.name}\` , position ${missing.position}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  );
}

/** What callers write who have the history from elsewhere. */
const BYPASSES: readonly string[] = [
  "context_engineering_is_the_way_to_go",
  "skip_thought_signature_validator",
];

function unsignedCall(
  contents: readonly Content[],
): { readonly name: string; readonly position: number } | undefined {
  const spokeAt = contents.findLastIndex((content) => content.role !== "model" && speaks(content));
  for (const [index, { role, parts = [] }] of contents.entries()) {
    if (index < spokeAt || role !== "model") continue;
    const first = parts.find(({ functionCall }) => functionCall !== undefined);
    const isUnsigned = first !== undefined && (first.thoughtSignature?.written ?? "") === "";
    if (isUnsigned) return { name: first.functionCall?.name ?? "", position: index + 1 };
  }
  return undefined;
}

/** Results alone do not begin a new turn. */
function speaks({ parts = [] }: Content): boolean {
  const isSaid = ({ text, inlineData, fileData }: Part) =>
    (text !== undefined && text !== "") || inlineData !== undefined || fileData !== undefined;
  return parts.some(isSaid);
}

function isFalse(signature: Bytes | undefined): boolean {
  if (signature === undefined || signature.written === "") return false;
  if (BYPASSES.includes(signature.written)) return false;
  const { bytes } = signature;
  const body = bytes.subarray(0, -SEAL_BYTES);
  return body.length === 0 || !timingSafeEqual(seal(body), bytes.subarray(-SEAL_BYTES));
}

const SEAL_BYTES = 32;

function seal(body: Uint8Array): Uint8Array {
  return createHmac("sha256", "a seal of the sandbox").update(body).digest();
}
