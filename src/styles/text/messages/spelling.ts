import type { ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** This style's id, under which it keeps what is its own. */
export const MESSAGES = "messages";

/** Members whose meaning the hub has, but which can be written in several ways. */
export const SPELLED_MEMBERS = [
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "output_format",
  "metadata",
] as const;

/** Every member that the hub takes in; the others travel as they are. */
export const READ_MEMBERS: ReadonlySet<string> = new Set([
  ...SPELLED_MEMBERS,
  "model",
  "messages",
  "system",
  "stream",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "stop_sequences",
]);

/** What a caller of this style wrote; nothing for a caller of another. */
export function spellingIn(of: ChatRequest | Message): JsonObject | undefined {
  return of.spelling?.[MESSAGES];
}
