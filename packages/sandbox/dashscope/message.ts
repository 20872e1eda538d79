import { isJsonArray, isJsonObject, type JsonObject } from "../json.ts";
import type { Piece } from "../engine/pieces.ts";
import type { ChatReply, Choice } from "../openai/chat-reply.ts";
import { plainMessage } from "../openai/plain-message.ts";
import type { ChatRequest } from "../openai/request.ts";
import { findQwen } from "./models.ts";

/** As recorded: calls say their index in an answer of one piece, too. */
export function message(choice: Choice, pieces: readonly Piece[], reply: ChatReply): JsonObject {
  const { tool_calls: calls, ...plain } = plainMessage(choice, pieces, reply);
  const numbered = isJsonArray(calls) ? calls.filter(isJsonObject) : [];
  return {
    ...annotations(reply.request),
    ...plain,
    ...(numbered.length === 0
      ? {}
      : { tool_calls: numbered.map((call, index) => ({ ...call, index })) }),
  };
}

/** What the recogniser of speech has noticed besides the words. */
export function annotations({ body, model }: ChatRequest): JsonObject {
  if (findQwen(model.id)?.transcribes !== true) return {};
  const options = body["asr_options"];
  const language = isJsonObject(options) ? options["language"] : undefined;
  return {
    annotations: [{ type: "audio_info", language: language ?? "en", emotion: "neutral" }],
  };
}
