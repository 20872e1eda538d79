import type { Lengths } from "../allowed.ts";

/** Differences between the vendor's models. Undefined members are not checked. */
export interface MinimaxDialect {
  readonly lengths?: Lengths;
  readonly resolutions?: readonly string[];
  readonly ratios?: readonly string[];
  /** The default. */
  readonly seconds?: number;
  readonly resolution?: string;
  /** The default without input media. */
  readonly ratio?: string;
  /** Whether it supports reference media. */
  readonly references?: boolean;
}
