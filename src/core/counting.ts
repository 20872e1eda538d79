/** What a family of models adds to the words of a question, in tokens. */
export interface Counting {
  /** Tokens of this family for one of the tokenizer's (o200k), in long texts. */
  readonly textFactor: number;
  /** From how many tokens on the factor applies in full. */
  readonly fullFactorTokens: number;
  /** Around a request with one message, and for each further one. */
  readonly perRequest: number;
  readonly perMessage: number;
  /** Around a call or a result. */
  readonly perToolBlock: number;
  /** Once, where there are tools, and for each of them. */
  readonly toolPrompt: number;
  readonly perTool: number;
  /** A picture, whatever its size: none is fetched or opened to be counted. */
  readonly image: number;
  /** A sound, a film, a document. */
  readonly media: number;
}

/** Of the family whose tokenizer is used; the others say in the catalogue how they differ. */
export const DEFAULT_COUNTING: Counting = {
  textFactor: 1,
  fullFactorTokens: 200,
  perRequest: 7,
  perMessage: 4,
  perToolBlock: 5,
  toolPrompt: 12,
  perTool: 7,
  image: 1_000,
  media: 1_000,
};
