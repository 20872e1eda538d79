import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** Common head of a response and its chunks. */
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
