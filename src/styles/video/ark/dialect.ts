import type { Lengths } from "#styles/video/allowed.ts";

/** What a generation of models can be told; anything where nothing is said. */
export interface ArkVideoDialect {
  readonly lengths?: Lengths;
  /** It may be left to choose how long a video is. */
  readonly choosesLength?: true;
  /** It counts in frames, too. */
  readonly countsFrames?: true;
  readonly resolutions?: readonly string[];
  readonly usualResolution?: string;
  /** Its videos have sound, unless it is told that they have none. */
  readonly speaks?: true;
  /** Whether its camera can be kept still. */
  readonly fixesCamera?: true;
  /** It takes no pictures at all. */
  readonly isBlind?: true;
  /** Pictures to look at. */
  readonly maxPictures?: number;
  /** It wants to see something, wherever it is to hear something. */
  readonly hearsWithPicturesOnly?: true;
  /** Members of the vendor's own that it does not know. */
  readonly refuses?: readonly Own[];
  readonly formats?: readonly string[];
}

/** Members of the vendor's own that have no place in the hub. */
export type Own =
  | "service_tier"
  | "execution_expires_after"
  | "draft"
  | "tools"
  | "priority"
  | "output_format";
