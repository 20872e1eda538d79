import type { Range, SizeRule } from "#styles/image/size-rule.ts";

/** Options of one of the vendor's models. */
export interface DashscopeDialect {
  /** Number of input images. */
  readonly pictures: Range;
  /** Maximum number of images of one request. */
  readonly most: number;
  /** Undefined if the output has the shape of the last input image. */
  readonly sizes?: SizeRule;
  /** Prompt rewriting: on unless the client disables it, or off unless requested. */
  readonly rewrites?: "usually" | "on request";
  /** The vendor truncates longer prompts. */
  readonly promptChars?: number;
}

/** The dialect that no model refuses. */
export const DEFAULT_DIALECT: DashscopeDialect = { pictures: { min: 0, max: 0 }, most: 1 };
