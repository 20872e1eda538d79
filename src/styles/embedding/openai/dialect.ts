import type { EmbeddingTask } from "#core/embedding.ts";
import type { Carries } from "#styles/carry.ts";

/** In which ways a vendor's reading of the format is its own. */
export interface EmbeddingDialect {
  /** How it is asked to write vectors; the first of the two is half as long. */
  readonly encoding: "base64" | "float";
  /** What it calls the wished length of a vector. */
  readonly dimensions: "dimensions" | "output_dimension";
  /** It also takes the tokens of a text. */
  readonly takesTokens?: true;
  /** It wants to know who asks. */
  readonly takesUser?: true;
  /** Fields beside those that all have. */
  readonly carries: Carries;
  /** What it calls the purpose of the vectors, and each that it knows. */
  readonly task?: {
    readonly member: string;
    readonly words: Readonly<Partial<Record<EmbeddingTask, string>>>;
  };
}

/** What every server of the format is sure to understand. */
export const DEFAULT_DIALECT: EmbeddingDialect = {
  encoding: "float",
  dimensions: "dimensions",
  carries: {},
};
