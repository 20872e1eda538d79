import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { GEMINI } from "../raw-fields.ts";

/** What an answer and each of its chunks end with. */
export function headOfAnswer(
  start: Extract<ChatEvent, { type: "start" }> | undefined,
  request: ChatRequest,
): JsonObject {
  return {
    modelVersion: start === undefined || start.model === "" ? request.model : start.model,
    createTime: new Date(start?.createdAt ?? 0).toISOString(),
    responseId: start?.id ?? "",
    ...start?.extra?.[GEMINI],
  };
}
