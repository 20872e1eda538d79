import type { Range, SizeRule } from "#styles/image/size-rule.ts";

/** What a model of the vendor's can be told. */
export interface DashscopeDialect {
  /** How many pictures it is to be given. */
  readonly pictures: Range;
  /** The most that one request may ask for. */
  readonly most: number;
  /** Absent where it draws in the shape of the last picture that it is given. */
  readonly sizes?: SizeRule;
  /** Whether it is told to rewrite prompts: unless the caller does not want it, or on request alone. */
  readonly rewrites?: "usually" | "on request";
  /** Longer prompts are cut by the vendor. */
  readonly promptChars?: number;
}

/** What no model refuses. */
export const DEFAULT_DIALECT: DashscopeDialect = { pictures: { min: 0, max: 0 }, most: 1 };
