import type { VideoScenario } from "#core/video.ts";
import type { Lengths } from "../allowed.ts";

/** Differences between the vendor's models. Undefined members are not checked. */
export interface ViduDialect {
  readonly lengths?: Lengths;
  /** The default. */
  readonly seconds?: number;
  readonly resolution?: string;
  /** The default if it depends on the length. */
  readonly resolutionBySeconds?: Readonly<Record<number, string>>;
  readonly resolutions?: readonly string[];
  readonly ratios?: readonly string[];
  /** Whether it supports reference media. */
  readonly references?: boolean;
  /** Maximum number of reference images. */
  readonly maxReferences?: number;
  /** Maximum number of reference audios beside them; none if undefined. */
  readonly maxSounds?: number;
  /** Supported scenarios; all if undefined. */
  readonly scenarios?: readonly VideoScenario[];
  /**
   * `audio`: generates audio, by default. The others: movement amplitude and background music can
   * be set.
   */
  readonly audio?: boolean;
  readonly movement?: boolean;
  readonly music?: boolean;
  /** Whether it supports a style in text-to-video. */
  readonly style?: boolean;
}
