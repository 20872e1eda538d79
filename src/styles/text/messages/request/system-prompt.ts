import type { BodyEdits } from "#core/style.ts";
import { isArray, type JsonObject } from "#lib/json.ts";

/**
 * The text precedes the caller's system prompt. A block gets no cache mark of its own: the caller's
 * marks behind it include it.
 */
export function withSystemPrompt({ system = null }: JsonObject, text: string): BodyEdits {
  if (isArray(system)) return { system: [{ type: "text", text }, ...system] };
  return { system: typeof system === "string" && system !== "" ? `${text}\n\n${system}` : text };
}
