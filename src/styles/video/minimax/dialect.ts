import type { Lengths } from "../allowed.ts";

/** In which ways one of its models differs from others. What is absent is not checked. */
export interface MinimaxDialect {
  readonly lengths?: Lengths;
  readonly resolutions?: readonly string[];
  readonly ratios?: readonly string[];
  /** Where nobody says. */
  readonly seconds?: number;
  readonly resolution?: string;
  /** The same where nothing is shown to it. */
  readonly ratio?: string;
  /** Whether it looks at references. */
  readonly references?: boolean;
}
