import type { JsonObject } from "../json.ts";
import type { Portion } from "./portions.ts";
import { tokensDetails } from "./prompt-tokens.ts";
import type { GenerateRequest } from "./request.ts";

/** Counts an answer while it is given, over all candidates. */
export interface UsageMeter {
  take(portion: Pick<Portion, "thoughts" | "answer">): void;
  /** What an answer says in one piece, or at the end of a stream. */
  total(): JsonObject;
  /** What a stream says on its way, which differs from generation to generation. */
  soFar(): JsonObject;
}

/** What the request has cost before it is answered. */
export interface Spent {
  readonly cachedTokens: number;
  /** What the vendor's own tools have put before the model. */
  readonly toolTokens: number;
}

export function usageMeter(request: GenerateRequest, spent: Spent): UsageMeter {
  const { model, tokens, output, serviceTier } = request;
  const { generation } = model;
  const prompt = tokens.total;
  const promptTokensDetails = tokensDetails(tokens);
  const modality = output.modalities.at(-1) ?? "TEXT";
  const tellsModality = generation === "2.0" || modality !== "TEXT";
  let thoughts = 0;
  let answer = 0;

  function total(): JsonObject {
    const details = [{ modality, tokenCount: answer }];
    return {
      promptTokenCount: prompt,
      ...(answer > 0 ? { candidatesTokenCount: answer } : {}),
      totalTokenCount: prompt + answer + spent.toolTokens + thoughts,
      ...(spent.cachedTokens > 0 ? { cachedContentTokenCount: spent.cachedTokens } : {}),
      promptTokensDetails,
      ...(spent.cachedTokens > 0 ? { cacheTokensDetails: textTokens(spent.cachedTokens) } : {}),
      ...(tellsModality && answer > 0 ? { candidatesTokensDetails: details } : {}),
      ...(spent.toolTokens > 0
        ? {
            toolUsePromptTokenCount: spent.toolTokens,
            toolUsePromptTokensDetails: textTokens(spent.toolTokens),
          }
        : {}),
      ...(thoughts > 0 ? { thoughtsTokenCount: thoughts } : {}),
      serviceTier,
    };
  }

  return {
    take(portion) {
      thoughts += portion.thoughts;
      answer += portion.answer;
    },
    total,
    soFar() {
      const isThinking = generation === "3" && answer === 0;
      if (generation !== "2.0" && !isThinking) return total();
      return {
        promptTokenCount: prompt,
        totalTokenCount: prompt,
        promptTokensDetails,
        serviceTier,
      };
    },
  };
}

function textTokens(tokenCount: number): readonly JsonObject[] {
  return [{ modality: "TEXT", tokenCount }];
}
