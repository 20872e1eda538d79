import type { Range, SizeRule } from "#styles/image/size-rule.ts";

/** What no model refuses. */
export const DEFAULT_DIALECT: ArkDialect = { pictures: { min: 0, max: 0 }, sizes: {} };

/** What a version of the vendor's models can be told. */
export interface ArkDialect {
  /** How many pictures it is to be given. */
  readonly pictures: Range;
  readonly sizes: SizeRule;
  /** It follows a seed, and a guidance scale. */
  readonly isSteered?: boolean;
  /** It draws sets of pictures, and hands over each as soon as it is there. */
  readonly drawsSets?: boolean;
  /** How it may be told to rewrite prompts; it does not where there are none. */
  readonly rewriteModes?: readonly string[];
  /** In which formats it can be told to draw; nothing can be told where there are none. */
  readonly formats?: readonly string[];
}
