import type { PeopleWords } from "#styles/image/people.ts";

/** What a model draws, and what its interface can be told of it. */
export interface PictureDialect {
  readonly ratios: readonly string[];
  /** None where the model draws in one size only, and refuses to be told of it. */
  readonly sizes: readonly string[];
  /** Absent where the interface takes no word about people. */
  readonly people?: PeopleWords;
  /** The formats that can be asked for. */
  readonly formats?: readonly string[];
  /** The model takes as its own only what it can prove to have said, which callers of pictures cannot hand back. */
  readonly provesTurns?: true;
}

/** What every model of the format draws. */
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
