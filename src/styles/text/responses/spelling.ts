import type { Block, ChatRequest, Message } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";

/** This style's id, under which it keeps what is its own. */
export const RESPONSES = "responses";

/** What asks for the proof of reasoning, and for the probabilities of tokens. */
export const ENCRYPTED = "reasoning.encrypted_content";
export const LOGPROBS = "message.output_text.logprobs";

/**
 * Members that the hub takes in though they can be written in several ways,
 * and members that the gateway itself acts on.
 */
export const SPELLED_MEMBERS = [
  "instructions",
  "include",
  "reasoning",
  "text",
  "tools",
  "tool_choice",
  "top_logprobs",
  "user",
  "safety_identifier",
  "store",
  "previous_response_id",
  "truncation",
  "background",
  "stream_options",
] as const;

/** Every member that the hub takes in; the others travel as they are. */
export const READ_MEMBERS: ReadonlySet<string> = new Set([
  ...SPELLED_MEMBERS,
  "model",
  "input",
  "stream",
  "temperature",
  "top_p",
  "presence_penalty",
  "frequency_penalty",
  "max_output_tokens",
  "parallel_tool_calls",
  "metadata",
]);

/** In the spelling of a message: items that only declare something, before it and after it. */
export const ITEMS_BEFORE = "itemsBefore";
export const ITEMS_AFTER = "itemsAfter";

/** What a caller of this style wrote; nothing for a caller of another. */
export function spellingIn(of: ChatRequest | Message): JsonObject | undefined {
  return of.spelling?.[RESPONSES];
}

/** The input item that a block or a message was read from, as its caller wrote it. */
export function itemOf(of: Block | Message): JsonObject | undefined {
  return objectOf("role" in of ? spellingIn(of)?.["item"] : of.extra?.[RESPONSES]?.["item"]);
}

/** Written by a caller of this style: it goes back as it came. */
export function isOwn(message: Message): boolean {
  return spellingIn(message) !== undefined;
}
