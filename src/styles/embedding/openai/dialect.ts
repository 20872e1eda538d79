import type { EmbeddingTask } from "#core/embedding.ts";
import type { Carries } from "#styles/carry.ts";

/** Deviations of a vendor from the format. */
export interface EmbeddingDialect {
  /** The requested encoding of vectors; base64 is half as long. */
  readonly encoding: "base64" | "float";
  /** The member for the length of a vector. */
  readonly dimensions: "dimensions" | "output_dimension";
  /** Also accepts token arrays. */
  readonly takesTokens?: true;
  /** Requires the user's id. */
  readonly takesUser?: true;
  /** Additional fields of this vendor. */
  readonly carries: Carries;
  /** The member for the purpose of the vectors, and its values. */
  readonly task?: {
    readonly member: string;
    readonly words: Readonly<Partial<Record<EmbeddingTask, string>>>;
  };
}

/** The dialect that every server of the format supports. */
export const DEFAULT_DIALECT: EmbeddingDialect = {
  encoding: "float",
  dimensions: "dimensions",
  carries: {},
};
