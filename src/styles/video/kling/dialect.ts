import type { Lengths } from "../allowed.ts";

/**
 * Differences between the vendor's models. Undefined members are not checked, or not known for the
 * model.
 */
export interface KlingDialect {
  readonly lengths?: Lengths;
  /** Text, images and videos together, at a separate path. */
  readonly isOmni?: boolean;
  readonly negativePrompt?: boolean;
  readonly guidance?: boolean;
  readonly camera?: boolean;
  /** Whether audio generation can be requested. */
  readonly sound?: boolean;
  /** Supports audio only in its better mode. */
  readonly soundNeedsPro?: boolean;
}
