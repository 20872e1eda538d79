import { estimateTokens } from "#core/count.ts";
import { evenSample } from "./sample-tokens.ts";
import { ThreadCounter } from "./thread-counter.ts";

const counter = new ThreadCounter(
  () => new Worker(threadUrl(), { name: "sluice-tokens", smol: true }),
);

/** Tokens of a text by the tokenizer of the newest OpenAI models. */
export async function countTokens(text: string): Promise<number> {
  return await countTexts([text]);
}

/** The tokenizer takes about a quarter of a second for it. */
const MAX_WAITING_CHARS = 1_000_000;
const SAMPLE_PIECES = 16;
const SAMPLED_CHARS = 16_000;

/**
 * The same, but a long text is counted by a sample while many wait: their streams would stop for
 * the count, and the texts of hundreds of fast streams would fill the memory.
 */
export async function countTokensSoon(text: string): Promise<number> {
  if (text.length <= SAMPLED_CHARS || counter.waitingChars <= MAX_WAITING_CHARS)
    return await countTokens(text);
  const sample = evenSample(text, SAMPLE_PIECES);
  const rough = sample.reduce((sum, piece) => sum + estimateTokens(piece), 0);
  return Math.round((estimateTokens(text) * (await countTexts(sample))) / rough);
}

/** Total tokens of several texts, counted on a separate thread. */
export async function countTexts(texts: readonly string[]): Promise<number> {
  const said = texts.filter((text) => text !== "");
  return said.length === 0 ? 0 : await counter.count(said);
}

/** Beside this file, or within the single executable. */
function threadUrl(): string {
  const isSource = import.meta.url.endsWith("/relay/metering/tokens.ts");
  const path = isSource ? "./token-thread.ts" : "./relay/metering/token-thread.js";
  return new URL(path, import.meta.url).href;
}
