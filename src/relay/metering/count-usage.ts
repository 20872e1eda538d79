import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { clampCount, NO_USAGE, type Usage } from "#core/usage.ts";
import type { Served } from "../call.ts";
import { countInput, countText } from "./count-input.ts";

/** Usage of a call, counted locally because the upstream reported none. */
export async function countUsage(
  question: ChatRequest,
  outputText: string,
  traits: ModelTraits,
  countedTokens = 0,
): Promise<Usage> {
  return await openCounter(() => question)(outputText, traits, countedTokens);
}

/** Counted usage with the tokens of the channel's system prompt, which the caller did not send. */
export function withPrompt(
  usage: Usage,
  route: { readonly promptTokens?: number } | undefined,
): Usage {
  const tokens = route?.promptTokens;
  return tokens === undefined ? usage : { ...usage, inputTokens: usage.inputTokens + tokens };
}

/** The same for repeated counts during a response: the input is counted once. */
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
