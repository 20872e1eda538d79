/** Accepted inputs of an older model. */
export interface OldModel {
  /** The usual one first. */
  readonly resolutions: readonly [string, ...string[]];
  readonly seconds: readonly number[];
  /** Which pictures it is given: a first frame, a last one, somebody to show. */
  readonly given: readonly ("first" | "last" | "subject")[];
  /** It films nothing without the first of them. */
  readonly needsGiven: boolean;
}

export function findOldModel(id: string): OldModel | undefined {
  return Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
}

const WORDS: OldModel = { resolutions: ["720P"], seconds: [6], given: [], needsGiven: false };
const PICTURE: OldModel = { ...WORDS, given: ["first"], needsGiven: true };
const SECOND: OldModel = {
  resolutions: ["768P", "1080P"],
  seconds: [6, 10],
  given: ["first"],
  needsGiven: false,
};

const MODELS: Readonly<Record<string, OldModel>> = {
  "MiniMax-Hailuo-2.3": SECOND,
  "MiniMax-Hailuo-2.3-Fast": { ...SECOND, needsGiven: true },
  "MiniMax-Hailuo-02": {
    ...SECOND,
    resolutions: ["768P", "512P", "1080P"],
    given: ["first", "last"],
  },
  "T2V-01": WORDS,
  "T2V-01-Director": WORDS,
  "I2V-01": PICTURE,
  "I2V-01-Director": PICTURE,
  "I2V-01-live": PICTURE,
  "S2V-01": { ...WORDS, given: ["subject"], needsGiven: true },
};
