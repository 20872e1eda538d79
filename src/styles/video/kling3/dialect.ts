import type { Lengths } from "../allowed.ts";

/** Differences between the vendor's models. Undefined members are not checked. */
export interface Kling3Dialect {
  readonly lengths?: Lengths;
  /** The lengths if the request has a first frame and no other input. */
  readonly frameLengths?: Lengths;
  readonly resolutions?: readonly string[];
  /** Text, images and videos together, at a separate path. */
  readonly isOmni?: boolean;
  /** Supported audio options; none if empty. */
  readonly sounds?: readonly ("native" | "off" | "original")[];
  /** The only resolution with audio. */
  readonly soundResolution?: string;
  readonly lastFrame?: boolean;
  readonly multiShot?: boolean;
  /** Frames and other images can be combined. */
  readonly mixes?: boolean;
}
