import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import { bytePairCounter } from "./byte-pairs.ts";
import { loadVocabulary } from "./load-vocabulary.ts";
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
 * The tokenizer's own thread: its vocabulary takes a fifth of a second of CPU time to load, and a
 * long text some tens of milliseconds to count.
 */
declare const self: Worker;

/** Special tokens in a client's text are counted as plain text. */
const tokenizer: Promise<Tokenizer> = loadVocabulary().then((vocabulary) =>
  bytePairCounter(vocabulary, O200K_TOKEN_SPLIT_REGEX),
);

self.onmessage = async ({ data }: MessageEvent<readonly CountQuestion[]>) => {
  const count = await tokenizer;
  const answers = data.map(({ id, texts }) => ({ id, tokens: sampleTokens(texts, count) }));
  self.postMessage(answers satisfies readonly CountAnswer[]);
};
