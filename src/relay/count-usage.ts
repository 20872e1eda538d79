import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { fitsIn, NO_USAGE, type Usage } from "#core/usage.ts";
import { countInput, countText } from "./count-input.ts";

/** What a call used, counted here because its upstream did not say. */
export async function countUsage(
  question: ChatRequest,
  outputText: string,
  traits: ModelTraits,
  uncountedOutputTokens = 0,
): Promise<Usage> {
  return {
    ...NO_USAGE,
    inputTokens: fitsIn(await countInput(question, traits)),
    outputTokens: fitsIn(uncountedOutputTokens + (await countText(outputText, traits))),
    isEstimated: true,
  };
}
