import type { Block, ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";

/** This style's id, under which it keeps what is its own. */
export const RESPONSES = "responses";

/** What asks for the proof of reasoning, and for the probabilities of tokens. */
export const ENCRYPTED = "reasoning.encrypted_content";
export const LOGPROBS = "message.output_text.logprobs";

/** In the raw fields of a message: items that only declare something, before it and after it. */
export const ITEMS_BEFORE = "itemsBefore";
export const ITEMS_AFTER = "itemsAfter";

/** What a caller of this style wrote; nothing for a caller of another. */
export function rawFieldsOf(of: ChatRequest | Message): JsonObject | undefined {
  return of.rawFields?.[RESPONSES];
}

/** The input item that a block or a message was read from, as its caller wrote it. */
export function itemOf(of: Block | Message): JsonObject | undefined {
  return objectOf("role" in of ? rawFieldsOf(of)?.["item"] : of.extra?.[RESPONSES]?.["item"]);
}

/** Written by a caller of this style: it goes back as it came. */
export function isOwn(message: Message): boolean {
  return rawFieldsOf(message) !== undefined;
}
