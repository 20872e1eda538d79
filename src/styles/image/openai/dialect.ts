import type { JsonObject } from "#lib/json.ts";

/**
 * In which ways a vendor's, or a model's, reading of the format is its own.
 * Members go by the names that callers write. Where nothing is said, all that
 * a caller writes goes out as it is, and nothing is refused.
 */
export interface ImageDialect {
  /** Members that are understood beside the model, the prompt and pictures. */
  readonly takes?: readonly string[];
  /** Those that only know certain values; another one would make another picture. */
  readonly allows?: Readonly<Record<string, readonly string[]>>;
  /** Sizes beside those: any that keep to these bounds. */
  readonly anySize?: SizeBounds;
  /** Sent where the caller says nothing. */
  readonly defaults?: JsonObject;
  /** Its own words for values; null for what is said by leaving the member out. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** Its own names for members. */
  readonly names?: Readonly<Record<string, string>>;
  /** It takes `width` and `height` in place of a size. */
  readonly sizeAsSides?: true;
  /** It draws nothing without words, whatever it is shown. */
  readonly needsPrompt?: true;
  /** Given pictures. */
  readonly maxPictures?: number;
  /** In a form it takes the members of an object as fields of their own: `svg[model]`. */
  readonly nestsFields?: true;
  /** It keeps files, which may be named where pictures are given. */
  readonly keepsFiles?: true;
}

export interface SizeBounds {
  /** Both sides are multiples of it. */
  readonly step: number;
  /** Of the longer side to the shorter. */
  readonly maxRatio: number;
  readonly maxLong: number;
  readonly maxShort: number;
}
