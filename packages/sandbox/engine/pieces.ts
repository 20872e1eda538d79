import type { Answer, ToolCall } from "./conversation.ts";
import { countTokens, splitTokens } from "./tokens.ts";

/** An answer in the order and the portions in which a model lets it go. */
export type Piece =
  | {
      readonly kind: "reasoning" | "text" | "refusal";
      readonly text: string;
      readonly tokens: number;
    }
  | {
      readonly kind: "call";
      readonly index: number;
      readonly call: ToolCall;
      readonly tokens: number;
    }
  | {
      readonly kind: "input";
      readonly index: number;
      readonly text: string;
      readonly tokens: number;
    };

/** One token a piece; a call opens with its name, and its input follows. */
export function* answerPieces(answer: Answer): Generator<Piece> {
  yield* textPieces("reasoning", answer.reasoning);
  yield* textPieces("text", answer.text);
  yield* textPieces("refusal", answer.refusal ?? "");
  for (const [index, call] of answer.calls.entries()) {
    yield { kind: "call", index, call, tokens: countTokens(call.name) };
    for (const text of splitTokens(call.input)) yield { kind: "input", index, text, tokens: 1 };
  }
}

function* textPieces(kind: "reasoning" | "text" | "refusal", text: string): Generator<Piece> {
  for (const token of splitTokens(text)) yield { kind, text: token, tokens: 1 };
}
