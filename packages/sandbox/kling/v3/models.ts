import type { Product } from "./request.ts";

/** Accepted inputs of the models of the newer style. */
export interface V3Model {
  readonly products: readonly Product[];
  readonly resolutions: readonly ("720p" | "1080p" | "4k")[];
  readonly seconds: readonly number[];
  /** None for a model that has no such setting. */
  readonly audio: readonly ("native" | "off" | "original")[];
  readonly shoots: boolean;
  readonly takesLastFrame: boolean;
  /** Contents besides text and frames. */
  readonly takes: readonly string[];
  /** Of the generation that has sound, or first and last frames, in 1080p alone. */
  readonly isOlder: boolean;
}

export function findV3Model(id: string, product: Product): V3Model | undefined {
  const found = Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
  return found?.products.includes(product) === true ? found : undefined;
}

const from = (low: number, high: number) =>
  Array.from({ length: high - low + 1 }, (_, at) => low + at);

const full: V3Model = {
  products: ["text-to-video", "image-to-video"],
  resolutions: ["720p", "1080p", "4k"],
  seconds: from(3, 15),
  audio: ["native", "off"],
  shoots: true,
  takesLastFrame: true,
  takes: ["element"],
  isOlder: false,
};
const older: V3Model = {
  ...full,
  resolutions: ["720p", "1080p"],
  seconds: [5, 10],
  shoots: false,
  takes: [],
  isOlder: true,
};
const omni: V3Model = {
  ...full,
  products: ["omni-video"],
  audio: ["native", "off", "original"],
  takes: ["refer_image", "feature_video", "base_video", "element"],
};

const MODELS: Readonly<Record<string, V3Model>> = {
  "kling-3.0": full,
  "kling-3.0-turbo": {
    ...full,
    resolutions: ["720p", "1080p"],
    audio: [],
    shoots: false,
    takesLastFrame: false,
    takes: [],
  },
  "kling-2.6": { ...older, takes: ["voice"] },
  "kling-2.5-turbo": { ...older, audio: [] },
  "kling-3.0-omni": omni,
  "kling-o1": {
    ...omni,
    resolutions: ["720p", "1080p"],
    seconds: from(3, 10),
    audio: ["original", "off"],
    shoots: false,
  },
};
