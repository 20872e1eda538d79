import type { Piece } from "../engine/pieces.ts";
import { splitTokens } from "../engine/tokens.ts";
import type { JsonObject } from "../json.ts";
import type { CacheUse } from "./prompt-caching.ts";
import type { PromptTokens } from "./prompt-tokens.ts";

/** Counts an answer while it is given, over all choices of a request. */
export interface UsageMeter {
  piece(piece: Piece): void;
  audio(tokens: number): void;
  totals(): Totals;
}

/** In tokens. */
export interface Totals {
  readonly prompt: PromptTokens;
  readonly cached: number;
  /** Put into the prompt cache, by how long it stays there; only of models that tell. */
  readonly written?: CacheUse["written"];
  /** Everything that was made, thoughts and speech included. */
  readonly output: number;
  readonly reasoning: number;
  readonly spoken: number;
  readonly acceptedPrediction: number;
  readonly rejectedPrediction: number;
}

export function usageMeter(
  prompt: PromptTokens,
  { cached, written }: CacheUse,
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
    totals() {
      // Predicted tokens that were not used are paid for all the same.
      const rejected = predicted.length - Math.min(accepted, predicted.length);
      return {
        prompt,
        cached: Math.min(cached, prompt.total),
        ...(written === undefined ? {} : { written }),
        output: output + spoken + rejected,
        reasoning,
        spoken,
        acceptedPrediction: accepted,
        rejectedPrediction: rejected,
      };
    },
  };
}

export function chatUsage(totals: Totals): JsonObject {
  const { prompt, cached, written, output, reasoning, spoken } = totals;
  return {
    prompt_tokens: prompt.total,
    completion_tokens: output,
    total_tokens: prompt.total + output,
    prompt_tokens_details: {
      cached_tokens: cached,
      audio_tokens: prompt.audio,
      ...(written === undefined ? {} : { cache_write_tokens: written["30m"] + written["12h"] }),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: spoken,
      accepted_prediction_tokens: totals.acceptedPrediction,
      rejected_prediction_tokens: totals.rejectedPrediction,
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
