import type { JsonObject } from "#lib/json.ts";

/** Short text, because an empty message is refused as well. */
const FILLER: JsonObject = { role: "assistant", content: "Noted." };

/** Some vendors want an assistant message between the results of tools and the next user message. */
export function withFillerTurns(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages.flatMap((message, index) => {
    const isAfterTools = messages[index - 1]?.["role"] === "tool";
    return isAfterTools && message["role"] === "user" ? [FILLER, message] : [message];
  });
}
