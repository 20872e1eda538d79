import type { ModelTraits } from "#core/model.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { signatureIn } from "./part-in.ts";
import { isModelRole } from "./role.ts";
import { GEMINI } from "../raw-fields.ts";

/** Stands for a proof where there can be none: the vendor's own word for that. */
const NO_PROOF = "skip_thought_signature_validator";

/** Those that are steered by levels are of the newest family. */
export function isNewest({ reasoningControls }: ModelTraits): boolean {
  return reasoningControls?.efforts !== undefined;
}

/** The newest models refuse a step of the current turn whose first call lacks its proof. */
export function proven(parts: readonly Json[], isNeeded: boolean): readonly Json[] {
  const first = isNeeded ? parts.findIndex((part) => holds(part, "functionCall")) : -1;
  const call = parts[first];
  if (!isObject(call) || holds(call, "thoughtSignature")) return parts;
  return parts.with(first, { ...call, thoughtSignature: NO_PROOF });
}

/**
 * The contents of a caller of this style as its vendors take them: without
 * what another style's vendor proved, which was only lent to the caller, and
 * without turns that say nothing behind a call: clients keep the empty end of a
 * stream as such a turn, and a result must follow its call at once.
 * `undefined` where there is nothing to change.
 */
export function withOwnProofs(
  contents: Json | undefined,
  model: ModelTraits,
): readonly Json[] | undefined {
  const list = listOf(contents);
  const asked = isNewest(model) ? list.findLastIndex(isQuestion) : list.length;
  let isChanged = false;
  let hasCalled = false;
  const own = list.flatMap((content, index) => {
    if (!isObject(content) || !isModelRole(content["role"])) {
      hasCalled = false;
      return [content];
    }
    const written = partsOf(content);
    if (hasCalled && written.every(isEmptyText)) {
      isChanged = true;
      return [];
    }
    hasCalled = written.some((part) => holds(part, "functionCall"));
    const kept = written.some(isLent) ? written.flatMap(withoutLent) : written;
    const parts = proven(kept, index > asked);
    if (parts === written) return [content];
    isChanged = true;
    return parts.length === 0 ? [] : [{ ...content, parts }];
  });
  return isChanged ? own : undefined;
}

function isEmptyText(part: Json): boolean {
  return isObject(part) && part["text"] === "" && Object.keys(part).length === 1;
}

function partsOf({ parts }: JsonObject): readonly Json[] {
  return isArray(parts) || parts === undefined ? listOf(parts) : [parts];
}

function isQuestion(content: Json): boolean {
  if (!isObject(content) || isModelRole(content["role"])) return false;
  return !partsOf(content).some((part) => holds(part, "functionResponse"));
}

function isLent(part: Json): boolean {
  const proof = isObject(part) ? signatureIn(asRead(part)) : undefined;
  return proof !== undefined && proof.issuer !== GEMINI;
}

/** A part that was nothing but its proof is none. */
function withoutLent(part: Json): readonly Json[] {
  if (!isObject(part) || !isLent(part)) return [part];
  const { thoughtSignature: _, [RAW_MEMBERS.thoughtSignature]: __, ...rest } = part;
  const says = Object.keys(rest).some((name) => name !== "thought" && rest[name] !== "");
  return says ? [rest] : [];
}

/** Either spelling is taken. */
const RAW_MEMBERS = {
  thoughtSignature: "thought_signature",
  functionCall: "function_call",
  functionResponse: "function_response",
} as const;

function asRead(part: JsonObject): JsonObject {
  const proof = part["thoughtSignature"] ?? part[RAW_MEMBERS.thoughtSignature];
  return proof === undefined ? {} : { thoughtSignature: proof };
}

function holds(part: Json, name: keyof typeof RAW_MEMBERS): boolean {
  return isObject(part) && (part[name] ?? part[RAW_MEMBERS[name]] ?? undefined) !== undefined;
}
