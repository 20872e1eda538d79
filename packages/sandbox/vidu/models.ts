export const RESOLUTIONS = ["360p", "540p", "720p", "1080p", "2K", "4K"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

export const ASPECTS = ["16:9", "9:16", "1:1", "4:3", "3:4"] as const;
export type Aspect = (typeof ASPECTS)[number];

export const ACTIONS = ["text2video", "img2video", "start-end2video", "reference2video"] as const;
export type Action = (typeof ACTIONS)[number];

/** What a generation of the vendor's models takes. */
export interface ViduModel {
  readonly generation: "q4" | "q3" | "q2" | "q1" | "2.0" | "1.5";
  readonly seconds: readonly number[];
  readonly usualSeconds: number;
  readonly aspects: readonly Aspect[];
  /** The usual one first; for some of them it depends on the length. */
  resolutions(seconds: number): readonly [Resolution, ...Resolution[]];
  /** Whether it takes `style`, and sounds by itself. */
  readonly hasStyles: boolean;
  readonly speaks: boolean;
  /** All of them if absent. */
  readonly actions?: readonly Action[];
  /** Pictures and sounds to refer to. */
  readonly references: { readonly images: number; readonly sounds: number };
}

export function findViduModel(id: string, action: Action): ViduModel | undefined {
  const family = Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
  // The variants of this generation do not look at references.
  const isBlind = action === "reference2video" && id.startsWith("viduq2-");
  const isMissing = family?.actions?.includes(action) === false;
  return isBlind || isMissing ? undefined : family;
}

const upTo = (most: number) => Array.from({ length: most }, (_, at) => at + 1);

const q3: ViduModel = {
  generation: "q3",
  seconds: upTo(16),
  usualSeconds: 5,
  aspects: ASPECTS,
  resolutions: () => ["720p", "540p", "1080p"],
  hasStyles: false,
  speaks: true,
  references: { images: 7, sounds: 0 },
};
const q4: ViduModel = {
  ...q3,
  generation: "q4",
  seconds: upTo(16).slice(2),
  resolutions: () => ["720p", "540p", "1080p", "2K", "4K"],
  actions: ["img2video", "reference2video"],
  references: { images: 15, sounds: 3 },
};
const q2: ViduModel = { ...q3, generation: "q2", seconds: upTo(10), speaks: false };
const q1: ViduModel = {
  ...q2,
  generation: "q1",
  seconds: [5],
  aspects: ["16:9", "9:16", "1:1"],
  resolutions: () => ["1080p"],
  hasStyles: true,
};
const second: ViduModel = {
  ...q1,
  generation: "2.0",
  seconds: [4, 8],
  usualSeconds: 4,
  resolutions: (seconds) => (seconds === 4 ? ["360p", "720p", "1080p"] : ["720p"]),
};

const MODELS: Readonly<Record<string, ViduModel>> = {
  "viduq4-preview": q4,
  viduq3: q3,
  "viduq3-turbo": q3,
  "viduq3-pro": q3,
  viduq2: q2,
  "viduq2-pro": q2,
  "viduq2-turbo": q2,
  "viduq2-pro-fast": q2,
  viduq1: q1,
  "vidu2.0": second,
  "vidu1.5": { ...second, generation: "1.5" },
};
