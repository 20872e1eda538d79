import type { ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** This style's id, under which it keeps what is its own. */
export const CHAT = "chat";

/** What a caller of this style wrote; nothing for a caller of another. */
export function rawFieldsOf(of: ChatRequest | Message): JsonObject | undefined {
  return of.rawFields?.[CHAT];
}

/** Written by a caller of this style: it goes back as it came. */
export function isOwn(of: ChatRequest | Message): boolean {
  return rawFieldsOf(of) !== undefined;
}
