import type { Conversation, RequestSpec } from "../engine/conversation.ts";

/** A request with nothing but a conversation, or one message of a user. */
export function question(
  conversation: Conversation | string,
  extra: Partial<RequestSpec> = {},
): RequestSpec {
  return {
    conversation:
      typeof conversation === "string"
        ? [{ role: "user", text: conversation, media: [] }]
        : conversation,
    tools: [],
    choice: { mode: "auto" },
    mayCallInParallel: true,
    format: { kind: "text" },
    reasoning: "none",
    stop: [],
    variant: 0,
    ...extra,
  };
}
