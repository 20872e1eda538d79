import { isJsonArray, type JsonObject } from "../json.ts";
import type { Piece } from "../engine/pieces.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { commonFields, usageOf, type ChatReply, type Choice } from "./chat-reply.ts";
import { tokenLogprob } from "./logprobs.ts";

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
    message: reply.dialect.message(choice, pieces, reply),
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
