import type { JsonObject } from "#lib/json.ts";

/** As little as can be said: an empty message is refused as well. */
const WORD: JsonObject = { role: "assistant", content: "Noted." };

/** Some want the model to speak before a user does, once its tools have returned. */
export function withWordsAfterTools(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages.flatMap((message, index) => {
    const isAfterTools = messages[index - 1]?.["role"] === "tool";
    return isAfterTools && message["role"] === "user" ? [WORD, message] : [message];
  });
}
