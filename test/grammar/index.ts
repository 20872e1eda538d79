import { chatStreamFaults } from "./chat.ts";
import { geminiStreamFaults } from "./gemini.ts";
import { messagesStreamFaults } from "./messages.ts";
import { responsesStreamFaults } from "./responses.ts";

/** By the id of the style. */
const CHECKERS: Readonly<Record<string, (stream: string) => readonly string[]>> = {
  chat: (stream) => chatStreamFaults(stream, { wantsUsage: stream.includes('"usage":{') }),
  responses: responsesStreamFaults,
  messages: messagesStreamFaults,
  gemini: geminiStreamFaults,
};

/** What a client would trip over in a stream that came to its proper end; nothing, as it should be. */
export function streamFaults(style: string, stream: string): readonly string[] {
  return CHECKERS[style]?.(withoutComments(stream)) ?? [];
}

/** Signs of life between events are no part of any grammar. */
function withoutComments(stream: string): string {
  return stream.replaceAll(/^:[^\n]*\n\n/gm, "");
}
