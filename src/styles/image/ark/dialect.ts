import type { Range, SizeRule } from "#styles/image/size-rule.ts";

/** The dialect that no model refuses. */
export const DEFAULT_DIALECT: ArkDialect = { pictures: { min: 0, max: 0 }, sizes: {} };

/** Options of a generation of the vendor's models. */
export interface ArkDialect {
  /** Number of input images. */
  readonly pictures: Range;
  readonly sizes: SizeRule;
  /** Supports a seed and a guidance scale. */
  readonly isSteered?: boolean;
  /** Generates groups of images, and can stream each as soon as it is ready. */
  readonly drawsSets?: boolean;
  /** Modes of prompt rewriting; undefined if the model does not rewrite. */
  readonly rewriteModes?: readonly string[];
  /** Output formats that can be requested; undefined if the format cannot be chosen. */
  readonly formats?: readonly string[];
}
