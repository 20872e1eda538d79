import type { BodyEdits } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";

/**
 * The text precedes the caller's first instruction, in the same message: some servers take only one
 * system message.
 */
export function withSystemPrompt(body: JsonObject, text: string): BodyEdits {
  const messages = listOf(body["messages"]);
  const [first, ...others] = messages;
  const merged = first === undefined ? undefined : preceded(first, text);
  return {
    messages:
      merged === undefined ? [{ role: "system", content: text }, ...messages] : [merged, ...others],
  };
}

/** Undefined for a message that holds no instructions. */
function preceded(message: Json, text: string): JsonObject | undefined {
  if (!isObject(message)) return undefined;
  const { role, content = null } = message;
  if (role !== "system" && role !== "developer") return undefined;
  if (typeof content === "string") return { ...message, content: `${text}\n\n${content}` };
  return isArray(content)
    ? { ...message, content: [{ type: "text", text }, ...content] }
    : undefined;
}
