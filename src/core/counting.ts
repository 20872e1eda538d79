/**
 * Token counting parameters of a model family: how its tokenizer differs from
 * the one used here (o200k), and the tokens that its template adds.
 * `docs/counting.md` explains how the numbers were measured.
 */
export interface Counting {
  /**
   * Tokens of this family per o200k token in long texts. Short texts are common
   * words, which all tokenizers count alike.
   */
  readonly textFactor: number;
  /** Number of tokens from which the factor applies in full. */
  readonly fullFactorTokens: number;
  /** Overhead of a request with one message; of each further turn; of each system instruction. */
  readonly perRequest: number;
  readonly perMessage: number;
  readonly perSystem: number;
  /** Overhead of a tool call or tool result. */
  readonly perToolBlock: number;
  /** How tool definitions are written into the prompt. */
  readonly toolText: ToolText;
  /** Tokens per o200k token in the tool definitions. */
  readonly toolFactor: number;
  /** Overhead if there are tools, and of each tool. */
  readonly toolPrompt: number;
  readonly perTool: number;
  /** Overhead if the model must call a tool. */
  readonly forcedTool: number;
  /** Overhead if the client enables thinking. */
  readonly thinking: number;
  /**
   * Overhead of a response schema, and tokens per o200k token in it; 0 if the
   * schema is not part of the prompt.
   */
  readonly formatPrompt: number;
  readonly formatFactor: number;
  /** The share of earlier reasoning that is sent to the model again. */
  readonly reasoningFactor: number;
  /** The same for encrypted reasoning: tokens per character of the signature. */
  readonly perSealChar: number;
  /** An image of any size: images are not fetched or decoded for counting. */
  readonly image: number;
  /** An audio file, a video, a document. */
  readonly media: number;
}

/**
 * `json`: JSON definitions; `types`: TypeScript declarations; `words`: only
 * names and descriptions.
 */
export type ToolText = "json" | "types" | "words";

/** Defaults for an unknown family: close to the average of the open models. */
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
