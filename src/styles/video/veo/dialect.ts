/** Options of a generation of models at one host. */
export interface VeoDialect {
  readonly lengths: readonly number[];
  /** The host's default if the client sets none. */
  readonly usualLength: number;
  /**
   * Lowest first; all lengths and ratios support the lowest. Empty if the parameter is not
   * supported.
   */
  readonly resolutions: readonly string[];
  /** Resolutions above the lowest require this length or this ratio. */
  readonly highOnly?: { readonly length?: number; readonly ratio?: string };
  /** The length of videos with reference images. */
  readonly referenceLength?: number;
  /** Whether audio can be switched off; otherwise it is always on or never. */
  readonly sound: "on request" | "always" | "never";
  readonly maxCount: number;
  /** Supports a number of videos. */
  readonly saysCount?: true;
  readonly lastFrame?: true;
  /** Person-generation settings, with and without images. */
  readonly people?: {
    readonly withoutPictures: readonly string[];
    readonly withPictures: readonly string[];
  };
  /** Prompt rewriting can be switched off. */
  readonly rewrites?: true;
  /** Own members that it supports in addition. */
  readonly takes?: readonly VeoMember[];
  /** The members of videos: `bytesBase64Encoded` and `gcsUri`, or `encodedVideo` and `uri`. */
  readonly videoAs: "bytes" | "encoded";
}

export type VeoMember = "fps" | "addWatermark" | "compressionQuality" | "resizeMode";

/** The dialect that no model refuses. */
export const DEFAULT_DIALECT: VeoDialect = {
  lengths: [4, 6, 8],
  usualLength: 8,
  resolutions: [],
  sound: "always",
  maxCount: 1,
  videoAs: "bytes",
};
