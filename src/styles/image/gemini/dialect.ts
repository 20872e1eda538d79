import type { PeopleWords } from "#styles/image/people.ts";

/** Options of an image model, and of the API that serves it. */
export interface PictureDialect {
  readonly ratios: readonly string[];
  /** Empty if the model has one size and refuses the parameter. */
  readonly sizes: readonly string[];
  /** Undefined if the API has no parameter for people. */
  readonly people?: PeopleWords;
  /** Output formats that can be requested. */
  readonly formats?: readonly string[];
  /** Earlier model turns need a signature, which clients of image APIs cannot send back. */
  readonly provesTurns?: true;
}

/** Aspect ratios that every model of the format supports. */
export const RATIOS: readonly string[] = [
  "1:1",
  "3:2",
  "2:3",
  "3:4",
  "4:3",
  "4:5",
  "5:4",
  "9:16",
  "16:9",
  "21:9",
];

export const DEFAULT_DIALECT: PictureDialect = { ratios: RATIOS, sizes: [] };
