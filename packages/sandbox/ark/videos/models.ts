import type { Resolution } from "./sizes.ts";

/** A generation of the vendor's video models, and its accepted inputs. */
export interface VideoModel {
  readonly series: "1.0" | "1.5" | "2.0" | "2.5";
  readonly resolutions: readonly Resolution[];
  readonly usualResolution: Resolution;
  readonly usualRatio: "16:9" | "adaptive";
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** How many pictures it takes as references; none at 0. */
  readonly referenceImages: number;
  /** Whether it takes a picture to begin with, and one to end with as well. */
  readonly frames: "none" | "first" | "first and last";
  readonly speaks: boolean;
}

/** By its full name, or an endpoint that a customer has made. */
export function findVideoModel(id: string): VideoModel | undefined {
  if (/^ep-\d{14}-[a-z\d]{5}$/.test(id)) return MODELS["2-0"];
  const [, name = ""] = /^(?:[a-z]+-)?seedance-(.+)-\d{6}$/.exec(id) ?? [];
  return Object.hasOwn(MODELS, name) ? MODELS[name] : undefined;
}

const first: VideoModel = {
  series: "1.0",
  resolutions: ["480p", "720p", "1080p"],
  usualResolution: "1080p",
  usualRatio: "16:9",
  minSeconds: 2,
  maxSeconds: 12,
  referenceImages: 0,
  frames: "first and last",
  speaks: false,
};

const second: VideoModel = {
  series: "2.0",
  resolutions: ["480p", "720p", "1080p", "4k"],
  usualResolution: "720p",
  usualRatio: "adaptive",
  minSeconds: 4,
  maxSeconds: 15,
  referenceImages: 9,
  frames: "first and last",
  speaks: true,
};

const MODELS: Readonly<Record<string, VideoModel>> = {
  "1-0-pro": first,
  "1-0-pro-fast": { ...first, frames: "first" },
  "1-0-lite-t2v": { ...first, usualResolution: "720p", frames: "none" },
  "1-0-lite-i2v": { ...first, usualResolution: "720p", referenceImages: 4 },
  "1-5-pro": {
    ...first,
    series: "1.5",
    usualResolution: "720p",
    usualRatio: "adaptive",
    minSeconds: 4,
    speaks: true,
  },
  "2-0": second,
  "2-0-fast": { ...second, resolutions: ["480p", "720p"] },
  "2-0-mini": { ...second, resolutions: ["480p", "720p"] },
  "2-5": {
    ...second,
    series: "2.5",
    resolutions: ["480p", "720p", "1080p"],
    maxSeconds: 30,
  },
};

/** Some of the names that such models go by, as the vendor dates them. */
export const LISTED_VIDEO_MODELS = [
  "doubao-seedance-1-0-pro-250528",
  "doubao-seedance-1-0-pro-fast-251015",
  "doubao-seedance-1-0-lite-t2v-250428",
  "doubao-seedance-1-0-lite-i2v-250428",
  "doubao-seedance-1-5-pro-251215",
  "doubao-seedance-2-0-260128",
  "doubao-seedance-2-0-fast-260128",
  "doubao-seedance-2-0-mini-260615",
  "doubao-seedance-2-5-260628",
].map((id) => ({ id, owner: "system" }));
