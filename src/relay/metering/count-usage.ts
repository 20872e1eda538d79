import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { clampCount, NO_USAGE, type Usage } from "#core/usage.ts";
import type { Served } from "../call.ts";
import { countInput, countText } from "./count-input.ts";

/** What a call used, counted here because its upstream did not say. */
export async function countUsage(
  question: ChatRequest,
  outputText: string,
  traits: ModelTraits,
  countedTokens = 0,
): Promise<Usage> {
  return await openCounter(() => question)(outputText, traits, countedTokens);
}

/** The same for a call that is counted again and again while it is answered: its question is counted once. */
export function openCounter(readQuestion: () => ChatRequest): Served["count"] {
  let known: { readonly traits: ModelTraits; readonly input: Promise<number> } | undefined;
  return async (outputText, traits, countedTokens) => {
    if (known?.traits !== traits) known = { traits, input: countInput(readQuestion(), traits) };
    return {
      ...NO_USAGE,
      inputTokens: clampCount(await known.input),
      outputTokens: clampCount(await countText(outputText, traits, countedTokens)),
      isEstimated: true,
    };
  };
}
