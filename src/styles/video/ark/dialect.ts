import type { Lengths } from "#styles/video/allowed.ts";

/** Options of a generation of models; undefined options accept any value. */
export interface ArkVideoDialect {
  readonly lengths?: Lengths;
  /** The model can choose the length. */
  readonly choosesLength?: true;
  /** Also accepts frame counts. */
  readonly countsFrames?: true;
  readonly resolutions?: readonly string[];
  readonly usualResolution?: string;
  /** Generates audio unless the request disables it. */
  readonly speaks?: true;
  /** Whether the camera can be fixed. */
  readonly fixesCamera?: true;
  /** Accepts no images. */
  readonly isBlind?: true;
  /** Maximum number of reference images. */
  readonly maxPictures?: number;
  /** Accepts audio only together with an image or video. */
  readonly hearsWithPicturesOnly?: true;
  /** The vendor's own members that it does not support. */
  readonly refuses?: readonly Own[];
  readonly formats?: readonly string[];
}

/** The vendor's own members without a field in the common request. */
export type Own =
  | "service_tier"
  | "execution_expires_after"
  | "draft"
  | "tools"
  | "priority"
  | "output_format";
