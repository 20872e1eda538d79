import type { BodyEdits } from "#core/style.ts";
import { isArray, type JsonObject } from "#lib/json.ts";

/**
 * The text is the first message of the input. Vendors repeat `instructions` in their answers, which
 * would show it to callers.
 */
export function withSystemPrompt({ input = null }: JsonObject, text: string): BodyEdits {
  const said = { type: "message", role: "developer", content: text };
  if (isArray(input)) return { input: [said, ...input] };
  return typeof input === "string"
    ? { input: [said, { type: "message", role: "user", content: input }] }
    : { input: [said] };
}
