import type { Lengths } from "../allowed.ts";

/** In which ways one of its models differs from others. What is absent is not checked, or not known of it. */
export interface KlingDialect {
  readonly lengths?: Lengths;
  /** Words, pictures and videos together, at an address of its own. */
  readonly isOmni?: boolean;
  readonly negativePrompt?: boolean;
  readonly guidance?: boolean;
  readonly camera?: boolean;
  /** Whether it can be told to make sound. */
  readonly sound?: boolean;
  /** It makes sound in its better mode only. */
  readonly soundNeedsPro?: boolean;
}
