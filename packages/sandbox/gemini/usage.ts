import type { JsonObject } from "../json.ts";
import type { Portion } from "./portions.ts";
import { tokensDetails } from "./prompt-tokens.ts";
import type { GenerateRequest } from "./request.ts";

/** Counts an answer while it is given, over all candidates. */
export interface UsageMeter {
  take(portion: Pick<Portion, "thoughts" | "answer">): void;
  /** Usage of a complete answer, or at the end of a stream. */
  total(): JsonObject;
  /** Usage within a stream, which differs between generations. */
  soFar(): JsonObject;
}

/** Input tokens of the request. */
interface Spent {
  readonly cachedTokens: number;
  /** Input of the model that comes from the vendor's tools. */
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
