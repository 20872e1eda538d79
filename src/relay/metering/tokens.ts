import { ThreadCounter } from "./thread-counter.ts";

const counter = new ThreadCounter(
  () => new Worker(threadUrl(), { name: "sluice-tokens", smol: true }),
);

/** Tokens of a text by the tokenizer of the newest OpenAI models. */
export async function countTokens(text: string): Promise<number> {
  return await countTexts([text]);
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
