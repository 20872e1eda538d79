/** Where a model is served: with a key alone, or in a project. */
export type Place = "gemini" | "vertex";

/** Accepted inputs of a generation of video models. */
export interface VeoModel {
  readonly id: string;
  readonly displayName: string;
  readonly lengths: readonly number[];
  /** The lowest first; none where it can be told none. */
  readonly resolutions: readonly string[];
  /** Conditions of resolutions above the lowest. */
  readonly highOnly: { readonly seconds?: number; readonly aspectRatio?: string };
  readonly takesLastFrame: boolean;
  readonly hasSound: boolean;
  /** Who may be shown where it is served with a key alone, without pictures and with them. */
  readonly people: readonly [without: readonly string[], having: readonly string[]];
}

export function findVeo(id: string): VeoModel | undefined {
  return VEO_MODELS.find((model) => model.id === id);
}

export const PEOPLE: readonly string[] = ["dont_allow", "allow_adult", "allow_all"];

const second: Omit<VeoModel, "id" | "displayName"> = {
  lengths: [5, 6, 7, 8],
  resolutions: [],
  highOnly: {},
  takesLastFrame: true,
  hasSound: false,
  people: [PEOPLE, ["dont_allow", "allow_adult"]],
};
const third: typeof second = {
  ...second,
  lengths: [4, 6, 8],
  resolutions: ["720p", "1080p"],
  highOnly: { aspectRatio: "16:9" },
  takesLastFrame: false,
  hasSound: true,
  people: [["allow_all"], ["allow_adult"]],
};
const latest: typeof second = {
  ...third,
  resolutions: ["720p", "1080p", "4k"],
  highOnly: { seconds: 8 },
  takesLastFrame: true,
};
const lite: typeof second = { ...latest, resolutions: ["720p", "1080p"] };

/** Under the names of both places. */
const VEO_MODELS: readonly VeoModel[] = [
  { ...second, id: "veo-2.0-generate-001", displayName: "Veo 2" },
  { ...third, id: "veo-3.0-generate-001", displayName: "Veo 3" },
  { ...third, id: "veo-3.0-fast-generate-001", displayName: "Veo 3 fast" },
  ...["preview", "001"].flatMap((version) => [
    { ...latest, id: `veo-3.1-generate-${version}`, displayName: "Veo 3.1" },
    { ...latest, id: `veo-3.1-fast-generate-${version}`, displayName: "Veo 3.1 fast" },
    { ...lite, id: `veo-3.1-lite-generate-${version}`, displayName: "Veo 3.1 lite" },
  ]),
];

export const VEO_BODIES = VEO_MODELS.map(({ id, displayName }) => ({
  name: `models/${id}`,
  version: id.slice(4, 7),
  displayName,
  description: `${displayName}, as the sandbox plays it`,
  inputTokenLimit: 480,
  outputTokenLimit: 8_192,
  supportedGenerationMethods: ["predictLongRunning"],
}));
