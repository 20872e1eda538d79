import type { Piece } from "#sandbox/engine/pieces.ts";
import { splitTokens } from "#sandbox/engine/tokens.ts";
import type { JsonObject } from "#sandbox/json.ts";
import type { PromptTokens } from "./prompt-tokens.ts";

/** Counts an answer while it is given, over all choices of a request. */
export interface UsageMeter {
  piece(piece: Piece): void;
  audio(tokens: number): void;
  usage(): JsonObject;
}

export function usageMeter(
  prompt: PromptTokens,
  cachedTokens: number,
  prediction: string | undefined,
): UsageMeter {
  const predicted = prediction === undefined ? [] : [...splitTokens(prediction)];
  const isPredicted = predictionFollower(predicted);
  let reasoning = 0;
  let output = 0;
  let spoken = 0;
  let accepted = 0;

  return {
    piece(piece) {
      if (piece.kind === "reasoning") reasoning += piece.tokens;
      output += piece.tokens;
      if (piece.kind === "text" && isPredicted(piece.text)) accepted++;
    },
    audio(tokens) {
      spoken += tokens;
    },
    usage() {
      // Predicted tokens that were not used are paid for all the same.
      const rejected = predicted.length - Math.min(accepted, predicted.length);
      const completion = output + spoken + rejected;
      return {
        prompt_tokens: prompt.total,
        completion_tokens: completion,
        total_tokens: prompt.total + completion,
        prompt_tokens_details: {
          cached_tokens: Math.min(cachedTokens, prompt.total),
          audio_tokens: prompt.audio,
        },
        completion_tokens_details: {
          reasoning_tokens: reasoning,
          audio_tokens: spoken,
          accepted_prediction_tokens: accepted,
          rejected_prediction_tokens: rejected,
        },
      };
    },
  };
}

/** The answer is as predicted for as long as it keeps to the prediction's tokens, in their order. */
function predictionFollower(predicted: readonly string[]): (token: string) => boolean {
  let at = 0;
  return (token) => {
    if (at >= predicted.length || predicted[at] !== token) {
      at = predicted.length;
      return false;
    }
    at++;
    return true;
  };
}
