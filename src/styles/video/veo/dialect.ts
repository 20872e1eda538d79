/** What a generation of models can be told at the place where it is offered. */
export interface VeoDialect {
  readonly lengths: readonly number[];
  /** The vendor's own, if its caller names none. */
  readonly usualLength: number;
  /** Lowest first, which is what it makes of all lengths and shapes; none where it is told none. */
  readonly resolutions: readonly string[];
  /** Above the lowest resolution it only makes videos of this length, or of this ratio. */
  readonly highOnly?: { readonly length?: number; readonly ratio?: string };
  /** Of videos that look at pictures. */
  readonly referenceLength?: number;
  /** Whether it can be told to be silent; else it always is, or never. */
  readonly sound: "on request" | "always" | "never";
  readonly maxCount: number;
  /** It is told how many. */
  readonly saysCount?: true;
  readonly lastFrame?: true;
  /** Who may be shown, by whether there are pictures. */
  readonly people?: {
    readonly withoutPictures: readonly string[];
    readonly withPictures: readonly string[];
  };
  /** It can be told not to write the prompt anew. */
  readonly rewrites?: true;
  /** Members of its own that it takes beside the others. */
  readonly takes?: readonly VeoMember[];
  /** Videos are handed over as `bytesBase64Encoded` or as `encodedVideo`, and named as `gcsUri` or as `uri`. */
  readonly videoAs: "bytes" | "encoded";
}

export type VeoMember = "fps" | "addWatermark" | "compressionQuality" | "resizeMode";

/** What no model refuses. */
export const DEFAULT_DIALECT: VeoDialect = {
  lengths: [4, 6, 8],
  usualLength: 8,
  resolutions: [],
  sound: "always",
  maxCount: 1,
  videoAs: "bytes",
};
