import type { Piece } from "../engine/pieces.ts";
import { countTokens, splitTokens } from "../engine/tokens.ts";
import { faultyPieces } from "../faults/piece-faults.ts";
import type { JsonObject } from "../json.ts";
import type { Draft } from "./drafts.ts";
import { meterRun, type MessageReply } from "./message-reply.ts";
import { seal } from "./seal.ts";

/** One step in which a block is given out, counted as it is taken. */
interface Part {
  readonly delta: JsonObject;
  /** How many tokens the caller gets to see. */
  readonly tokens: number;
}

/** The steps of a block; a block with one step has only its opening. */
export function* draftParts(draft: Draft, reply: MessageReply): Generator<Part> {
  const { meter } = reply;
  switch (draft.kind) {
    case "thinking":
      yield* thoughtParts(draft.text, reply);
      return;
    case "redacted_thinking":
      meter.thought(countTokens(draft.text));
      return;
    case "text":
      for (const citation of draft.citations)
        yield { delta: { type: "citations_delta", citation }, tokens: 0 };
      for (const { text, tokens } of textPieces(draft, reply)) {
        meter.wrote(tokens);
        yield { delta: { type: "text_delta", text }, tokens };
      }
      return;
    case "call":
    case "server_call":
      yield* inputParts(draft.name, draft.input, reply);
      return;
    case "server_result":
      meterRun(meter, draft);
      return;
  }
}

/** Hidden thoughts are paid for like those that are shown. */
function* thoughtParts(text: string, reply: MessageReply): Generator<Part> {
  const { meter, areThoughtsShown } = reply;
  if (areThoughtsShown) {
    for (const thinking of splitTokens(text)) {
      meter.thought(1);
      yield { delta: { type: "thinking_delta", thinking }, tokens: 1 };
    }
  } else {
    meter.thought(countTokens(text));
  }
  const signature = signatureOf(text, reply);
  yield { delta: { type: "signature_delta", signature }, tokens: 0 };
}

export function signatureOf(
  text: string,
  { areThoughtsShown, model, binding }: MessageReply,
): string {
  const shown = areThoughtsShown ? text : "";
  return seal({ kind: "thinking", owner: model, shown, hidden: text, bound: binding });
}

/** The first step is empty: it only says that the input begins. */
function* inputParts(name: string, input: string, { meter }: MessageReply): Generator<Part> {
  const named = countTokens(name);
  meter.wrote(named);
  yield { delta: { type: "input_json_delta", partial_json: "" }, tokens: named };
  for (const partial_json of splitTokens(input === "{}" ? "" : input)) {
    meter.wrote(1);
    yield { delta: { type: "input_json_delta", partial_json }, tokens: 1 };
  }
  if (input === "{}") meter.wrote(countTokens(input));
}

/** The faults go on with the last text of an answer. */
function* textPieces(draft: Extract<Draft, { kind: "text" }>, { drafts, faults }: MessageReply) {
  const pieces = piecesOf(draft.text);
  for (const piece of draft === drafts.at(-1) ? faultyPieces(pieces, faults) : pieces)
    if (piece.kind === "text") yield piece;
}

function* piecesOf(text: string): Generator<Piece> {
  for (const token of splitTokens(text)) yield { kind: "text", text: token, tokens: 1 };
}
