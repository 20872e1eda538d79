/**
 * What a family of models makes of a question, in tokens: how its own
 * tokenizer differs from the one that is used here (o200k), and what its
 * template adds. `docs/counting.md` says how the figures were found.
 */
export interface Counting {
  /** Tokens of this family for one of o200k, in long texts; short ones are everyday words, which cost everywhere the same. */
  readonly textFactor: number;
  /** From how many tokens on the factor applies in full. */
  readonly fullFactorTokens: number;
  /** Around a request with one message; for each further turn; for each instruction of a system. */
  readonly perRequest: number;
  readonly perMessage: number;
  readonly perSystem: number;
  /** Around a call or a result. */
  readonly perToolBlock: number;
  /** How tools are put into words for the model. */
  readonly toolText: ToolText;
  /** Tokens for one of o200k in those words. */
  readonly toolFactor: number;
  /** Once, where there are tools, and for each of them. */
  readonly toolPrompt: number;
  readonly perTool: number;
  /** Where the model must call one. */
  readonly forcedTool: number;
  /** Where the caller asks it to think. */
  readonly thinking: number;
  /** Where the answer has a schema, and for one of o200k in it; noughts where the model is not told. */
  readonly formatPrompt: number;
  readonly formatFactor: number;
  /** How much of its earlier reasoning the model is given to read again. */
  readonly reasoningFactor: number;
  /** The same for reasoning that only the vendor can read: for each character of its seal. */
  readonly perSealChar: number;
  /** A picture, whatever its size: none is fetched or opened to be counted. */
  readonly image: number;
  /** A sound, a film, a document. */
  readonly media: number;
}

/** `json`: their definitions; `types`: declarations in TypeScript; `words`: nothing but names and descriptions. */
export type ToolText = "json" | "types" | "words";

/** Where nothing is known of the family: about the middle of the models that are open. */
export const DEFAULT_COUNTING: Counting = {
  textFactor: 1,
  fullFactorTokens: 200,
  perRequest: 7,
  perMessage: 4,
  perSystem: 4,
  perToolBlock: 8,
  toolText: "json",
  toolFactor: 1,
  toolPrompt: 90,
  perTool: 0,
  forcedTool: 0,
  thinking: 0,
  formatPrompt: 0,
  formatFactor: 0,
  reasoningFactor: 0,
  perSealChar: 0,
  image: 1_000,
  media: 1_000,
};
