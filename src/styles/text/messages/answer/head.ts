import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { MESSAGES } from "../raw-fields.ts";

const PREFIX = "msg_";

/** What a message begins with, whole or streamed. */
export function headOfMessage(
  start: Extract<ChatEvent, { type: "start" }> | undefined,
  request: ChatRequest,
): JsonObject {
  const id = start?.id ?? "";
  return {
    id: id.startsWith(PREFIX) ? id : PREFIX + id,
    type: "message",
    role: "assistant",
    model: start === undefined || start.model === "" ? request.model : start.model,
  };
}

/** What is known of usage before there is any; the end of the stream says it again. */
export function firstUsage(start: Extract<ChatEvent, { type: "start" }> | undefined): JsonObject {
  const own = objectOf(start?.extra?.[MESSAGES]?.["usage"]);
  return {
    input_tokens: start?.inputTokens ?? 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 0,
    ...own,
  };
}
