import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { estimateTokens } from "#core/count.ts";
import type { CountedWords } from "#core/operation.ts";
import { clampCount, NO_USAGE, type Usage } from "#core/usage.ts";
import { withinTime } from "#lib/within-time.ts";
import type { Served } from "../call.ts";
import { countInput, countText, countWords } from "./count-input.ts";

/** Settlements, and so the ends of answers, wait for a count at most this time. */
const COUNT_WAIT_MS = 5_000;

/**
 * Usage of a call, counted locally because the upstream reported none. An answer does not fail
 * because the tokenizer did: then its length, and the `inputTokens` of the reservation, are used.
 */
export async function countUsage(
  question: ChatRequest,
  outputText: string,
  traits: ModelTraits,
  { inputTokens }: { readonly inputTokens: number },
  countedTokens = 0,
): Promise<Usage> {
  try {
    return await openCounter(() => question)(outputText, traits, countedTokens);
  } catch {
    const outputTokens = clampCount(countedTokens + estimateTokens(outputText));
    return { ...NO_USAGE, inputTokens, outputTokens, isEstimated: true };
  }
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
    const counts = Promise.all([known.input, countText(outputText, traits, countedTokens)]);
    const [inputTokens, outputTokens] = await inTime(counts);
    return {
      ...NO_USAGE,
      inputTokens: clampCount(inputTokens),
      outputTokens: clampCount(outputTokens),
      isEstimated: true,
    };
  };
}

interface RoughInput {
  /** An estimate that has the texts by their length. */
  readonly inputTokens: number;
  readonly texts: readonly CountedWords[];
}

/** Input of a request that is no conversation; the estimate if counting fails or takes too long. */
export async function countRoughInput(
  { inputTokens, texts }: RoughInput,
  traits: ModelTraits,
): Promise<number> {
  try {
    const counted = await inTime(
      Promise.all(texts.map(async ({ words, times }) => times * (await countWords(words, traits)))),
    );
    const rough = texts.map(({ words, times }) => times * sum(words.map(estimateTokens)));
    return clampCount(inputTokens - sum(rough) + sum(counted));
  } catch {
    return inputTokens;
  }
}

/** Tokens of an answer's text; the estimate if counting fails or takes too long. */
export async function countOutput(
  text: string,
  traits: ModelTraits,
  countedTokens: number,
): Promise<number> {
  const counting = inTime(countText(text, traits, countedTokens));
  return clampCount(await counting.catch(() => countedTokens + estimateTokens(text)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Rejects a count that takes too long. */
export async function inTime<T>(counting: Promise<T>, waitMs = COUNT_WAIT_MS): Promise<T> {
  const counted = await withinTime(counting, waitMs);
  if (counted === undefined) throw new Error(`Counting tokens took over ${waitMs} ms.`);
  return counted;
}
