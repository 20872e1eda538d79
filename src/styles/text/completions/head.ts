import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** What an answer and each of its chunks begin with. */
export function headOf(
  start: Extract<ChatEvent, { type: "start" }> | undefined,
  request: ChatRequest,
): JsonObject {
  const id = start?.id ?? "";
  return {
    id: id.startsWith("cmpl-") ? id : `cmpl-${id}`,
    object: "text_completion",
    created: Math.floor((start?.createdAt ?? 0) / 1_000),
    model: start === undefined || start.model === "" ? request.model : start.model,
  };
}
