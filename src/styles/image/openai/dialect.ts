import type { JsonObject } from "#lib/json.ts";

/**
 * Deviations of a vendor or model from the format. Members have the names that clients write. The
 * defaults forward every member unchanged and refuse nothing.
 */
export interface ImageDialect {
  /** Supported members besides the model, the prompt and images. */
  readonly takes?: readonly string[];
  /** Members with fixed values; another value is refused, because it would change the image. */
  readonly allows?: Readonly<Record<string, readonly string[]>>;
  /** Further sizes: any within these limits. */
  readonly anySize?: SizeBounds;
  /** Sent if the client sets no value. */
  readonly defaults?: JsonObject;
  /** The vendor's names for values; null stands for leaving the member out. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** The vendor's names for members. */
  readonly names?: Readonly<Record<string, string>>;
  /** Takes `width` and `height` in place of a size. */
  readonly sizeAsSides?: true;
  /** Requires a prompt, even with input images. */
  readonly needsPrompt?: true;
  /** Maximum number of input images. */
  readonly maxPictures?: number;
  /** Takes the members of an object in a form as separate fields: `svg[model]`. */
  readonly nestsFields?: true;
  /** Stores files, whose ids may replace input images. */
  readonly keepsFiles?: true;
}

export interface SizeBounds {
  /** Both sides must be multiples of it. */
  readonly step: number;
  /** Maximum ratio of the longer side to the shorter. */
  readonly maxRatio: number;
  readonly maxLong: number;
  readonly maxShort: number;
}
