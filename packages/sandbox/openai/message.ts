import { parseJson, type JsonObject } from "../json.ts";
import type { Piece } from "../engine/pieces.ts";
import type { ChatReply, Choice } from "./chat-reply.ts";
import { encodeSpeech } from "./speech.ts";

/** The message of an answer in one piece. */
export function wholeMessage(
  { answer, speech, callIds }: Choice,
  pieces: readonly Piece[],
  { request, faults }: ChatReply,
): JsonObject {
  const text = joined(pieces, "text");
  const calls = answer.calls.map((call, index) =>
    wireCall(call, callIds[index] ?? "", faults.toolquirks?.style === "object"),
  );
  const hasNoText =
    (calls.length > 0 || answer.refusal !== undefined || speech !== undefined) &&
    (text === "" || speech !== undefined);
  return {
    role: "assistant",
    content: hasNoText ? null : text,
    ...(request.model.thinks === "visibly" && answer.reasoning !== ""
      ? { reasoning_content: joined(pieces, "reasoning") }
      : {}),
    refusal: answer.refusal === undefined ? null : joined(pieces, "refusal"),
    annotations: [],
    ...(speech === undefined || request.speech === undefined
      ? {}
      : {
          audio: {
            id: speech.id,
            data: encodeSpeech(speech, request.speech),
            expires_at: speech.expiresAt,
            transcript: text,
          },
        }),
    ...callFields(calls, request.isLegacyFunctions),
  };
}

function callFields(calls: readonly JsonObject[], isLegacy: boolean): JsonObject {
  const [first] = calls;
  if (first === undefined) return {};
  return isLegacy ? { function_call: first["function"] ?? null } : { tool_calls: calls };
}

export function wireCall(
  call: Choice["answer"]["calls"][number],
  id: string,
  asObject: boolean,
): JsonObject {
  if (call.kind === "custom")
    return { id, type: "custom", custom: { name: call.name, input: call.input } };
  const written = asObject ? (parseJson(call.input) ?? call.input) : call.input;
  return { id, type: "function", function: { name: call.name, arguments: written } };
}

export function joined(pieces: readonly Piece[], kind: "text" | "reasoning" | "refusal"): string {
  return pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
}
