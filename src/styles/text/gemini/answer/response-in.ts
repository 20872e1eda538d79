import type { ChatEvent } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { AnswerReader } from "./answer-reader.ts";

/** An answer in one piece: one chunk that holds it all. */
export function parseResponse(body: JsonObject): readonly ChatEvent[] {
  const reader = new AnswerReader();
  return [...reader.read(body), ...reader.end()];
}
