import type { Lengths } from "../allowed.ts";

/** In which ways one of its models differs from others. What is absent is not checked. */
export interface Kling3Dialect {
  readonly lengths?: Lengths;
  /** The same where it is given a first frame and nothing else. */
  readonly frameLengths?: Lengths;
  readonly resolutions?: readonly string[];
  /** Words, pictures and videos together, at an address of its own. */
  readonly isOmni?: boolean;
  /** What it can be told of its sound; nothing where empty. */
  readonly sounds?: readonly ("native" | "off" | "original")[];
  /** The one resolution in which it makes sound. */
  readonly soundResolution?: string;
  readonly lastFrame?: boolean;
  readonly multiShot?: boolean;
  /** Frames and other pictures may be given together. */
  readonly mixes?: boolean;
}
