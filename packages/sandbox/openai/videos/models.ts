import type { ListedModel } from "../models.ts";

/** Width by height, as it is written. */
export const SIZES = [
  "720x1280",
  "1280x720",
  "1024x1792",
  "1792x1024",
  "1080x1920",
  "1920x1080",
] as const;
export type Size = (typeof SIZES)[number];

const SMALL: readonly Size[] = ["720x1280", "1280x720"];

/** A model that films, which is told of among the others. */
interface VideoModel extends ListedModel {
  readonly sizes: readonly Size[];
}

export const VIDEO_MODELS: readonly VideoModel[] = [
  { id: "sora-2", sizes: SMALL },
  { id: "sora-2-pro", sizes: SIZES },
  { id: "sora-2-2025-10-06", sizes: SMALL },
  { id: "sora-2-pro-2025-10-06", sizes: SIZES },
  { id: "sora-2-2025-12-08", sizes: SMALL },
];

export function sizesOf(model: string): readonly Size[] {
  return VIDEO_MODELS.find(({ id }) => id === model)?.sizes ?? SMALL;
}
