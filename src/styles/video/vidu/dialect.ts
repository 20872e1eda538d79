import type { VideoScenario } from "#core/video.ts";
import type { Lengths } from "../allowed.ts";

/** In which ways one of its models differs from others. What is absent is not checked. */
export interface ViduDialect {
  readonly lengths?: Lengths;
  /** What it makes where nobody says. */
  readonly seconds?: number;
  readonly resolution?: string;
  /** The same where it depends on the length. */
  readonly resolutionBySeconds?: Readonly<Record<number, string>>;
  readonly resolutions?: readonly string[];
  readonly ratios?: readonly string[];
  /** Whether it looks at references. */
  readonly references?: boolean;
  /** Pictures to refer to, at most. */
  readonly maxReferences?: number;
  /** Sounds to refer to beside them, at most; none if absent. */
  readonly maxSounds?: number;
  /** What it can make a video of; anything if absent. */
  readonly scenarios?: readonly VideoScenario[];
  /** Whether it makes sounds, which then it does unasked; can be told how much is to move; puts music under it. */
  readonly audio?: boolean;
  readonly movement?: boolean;
  readonly music?: boolean;
  /** Whether it draws in a style, where it is given words only. */
  readonly style?: boolean;
}
