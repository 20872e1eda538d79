import type { ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** This style's id, under which it keeps what is its own. */
export const MESSAGES = "messages";

/** What a caller of this style wrote; nothing for a caller of another. */
export function rawFieldsOf(of: ChatRequest | Message): JsonObject | undefined {
  return of.rawFields?.[MESSAGES];
}
