import { readFileSync } from "node:fs";
import vocabularyPath from "gpt-tokenizer/data/o200k_base.tiktoken" with { type: "file" };
import { O200K_TOKEN_SPLIT_REGEX } from "gpt-tokenizer/encodingParams/constants";
import { bytePairCounter } from "./byte-pairs.ts";
import { sampleTokens } from "./sample-tokens.ts";
import { readVocabulary, Vocabulary } from "./vocabulary.ts";

/** Texts to count together. */
export interface CountQuestion {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface CountAnswer {
  readonly id: number;
  readonly tokens: number;
}

/** The tokenizer's own thread: a long text takes some tens of milliseconds to count. */
declare const self: Worker;

/** Special tokens in a client's text are counted as plain text. */
const count = bytePairCounter(
  new Vocabulary(readVocabulary(readFileSync(vocabularyPath))),
  O200K_TOKEN_SPLIT_REGEX,
);

self.onmessage = ({ data }: MessageEvent<readonly CountQuestion[]>) => {
  const answers = data.map(({ id, texts }) => ({ id, tokens: sampleTokens(texts, count) }));
  self.postMessage(answers satisfies readonly CountAnswer[]);
};
