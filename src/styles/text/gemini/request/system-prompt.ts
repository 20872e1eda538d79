import type { BodyEdits } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";

/**
 * The text is the first part of the system instruction. Next to cached content the vendor refuses a
 * system instruction, so it is the first turn then.
 */
export function withSystemPrompt(body: JsonObject, text: string): BodyEdits {
  if ((body["cachedContent"] ?? body["cached_content"] ?? null) !== null) {
    return { contents: [{ role: "user", parts: [{ text }] }, ...listOf(body["contents"])] };
  }
  const name = "system_instruction" in body ? "system_instruction" : "systemInstruction";
  const given = body[name] ?? null;
  return { [name]: { ...(isObject(given) ? given : {}), parts: [{ text }, ...partsOf(given)] } };
}

function partsOf(instruction: Json): readonly Json[] {
  if (typeof instruction === "string") return [{ text: instruction }];
  const parts = isObject(instruction) ? (instruction["parts"] ?? null) : null;
  return isArray(parts) ? parts : parts === null ? [] : [parts];
}
