import { isJsonArray, parseJson, type JsonObject } from "#sandbox/json.ts";
import type { Piece } from "#sandbox/engine/pieces.ts";
import { jsonReply, type Reply } from "#sandbox/wire/reply.ts";
import { commonFields, usageOf, type ChatReply, type Choice } from "./chat-reply.ts";
import { tokenLogprob } from "./logprobs.ts";
import { encodeSpeech } from "./speech.ts";

/** The answer in one piece. */
export function completion(reply: ChatReply, headers: Readonly<Record<string, string>>): Reply {
  const isEndless = reply.faults.endless !== undefined;
  const choices = reply.choices.map((choice) => wholeChoice(choice, reply));
  const usage = usageOf(reply);
  const body = {
    ...commonFields(reply, "chat.completion"),
    choices: choices.map(({ body: choice }) => choice),
    ...(usage === undefined ? {} : { usage }),
  };
  if (isEndless) {
    const head = JSON.stringify(body).slice(0, -1);
    return {
      status: 200,
      headers: { "content-type": "application/json", ...headers },
      body: { kind: "endless", head },
    };
  }
  return jsonReply(
    200,
    body,
    headers,
    choices.reduce((sum, choice) => sum + choice.tokens, 0),
  );
}

function wholeChoice(
  choice: Choice,
  reply: ChatReply,
): { readonly body: JsonObject; readonly tokens: number } {
  // An answer without an end is given up to its natural one here; the body is what never ends.
  const pieces = [...(reply.faults.endless ? take(choice) : choice.pieces())];
  for (const piece of pieces) reply.meter.piece(piece);
  if (choice.speech !== undefined) reply.meter.audio(choice.speech.tokens);

  const isVisible = (piece: Piece) =>
    piece.kind !== "reasoning" || reply.request.model.thinks === "visibly";
  const tokens = pieces
    .filter(isVisible)
    .reduce((sum, piece) => sum + piece.tokens, choice.speech?.tokens ?? 0);
  const body = {
    index: choice.index,
    message: messageOf(choice, pieces, reply),
    logprobs: logprobsOf(pieces, reply.request.logprobs),
    finish_reason: choice.finishReason,
  };
  return { body, tokens };
}

function* take(choice: Choice): Generator<Piece> {
  let left = choice.answer.text.length;
  for (const piece of choice.pieces()) {
    if (piece.kind === "text" && (left -= piece.text.length) < 0) return;
    yield piece;
  }
}

function messageOf(
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

function wireCall(
  call: Choice["answer"]["calls"][number],
  id: string,
  asObject: boolean,
): JsonObject {
  if (call.kind === "custom")
    return { id, type: "custom", custom: { name: call.name, input: call.input } };
  const written = asObject ? (parseJson(call.input) ?? call.input) : call.input;
  return { id, type: "function", function: { name: call.name, arguments: written } };
}

function joined(pieces: readonly Piece[], kind: "text" | "reasoning" | "refusal"): string {
  return pieces.map((piece) => (piece.kind === kind ? piece.text : "")).join("");
}

function logprobsOf(pieces: readonly Piece[], alternatives: number | undefined): JsonObject | null {
  if (alternatives === undefined) return null;
  const of = (kind: "text" | "refusal") =>
    pieces.flatMap((piece) =>
      piece.kind === kind ? [tokenLogprob(piece.text, alternatives)] : [],
    );
  const refusal = of("refusal");
  return {
    content: of("text"),
    refusal: isJsonArray(refusal) && refusal.length > 0 ? refusal : null,
  };
}
