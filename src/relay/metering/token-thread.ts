import { sampleTokens, type Tokenizer } from "./sample-tokens.ts";

/** Texts to count together; an empty list loads the vocabulary. */
export interface CountQuestion {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountAnswer {
  readonly id: number;
  readonly tokens: number;
}

/**
 * The tokenizer's own thread: its vocabulary takes half a second of CPU time to load, and a long
 * text some tens of milliseconds to count.
 */
declare const self: Worker;

const tokenizer: Promise<Tokenizer> = import("gpt-tokenizer/encoding/o200k_base").then(
  ({ countTokens }) => {
    // Special tokens in a client's text are counted as plain text.
    const options = { disallowedSpecial: new Set<string>() };
    return (text) => countTokens(text, options);
  },
);

self.onmessage = async ({ data }: MessageEvent<readonly CountQuestion[]>) => {
  const count = await tokenizer;
  const answers = data.map(({ id, texts }) => ({ id, tokens: sampleTokens(texts, count) }));
  self.postMessage(answers satisfies readonly CountAnswer[]);
};
