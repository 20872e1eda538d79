import type { Ratio } from "@sluice/sandbox/engine/ratios.ts";

export const RESOLUTIONS = ["480p", "720p", "1080p", "4k"] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** Width and height in pixels. */
export function sizeOf(resolution: Resolution, ratio: Ratio): readonly [number, number] {
  const [wide = 1, high = 1] = ratio.split(":").map(Number);
  const lying: Ratio = wide >= high ? ratio : ratio === "9:16" ? "16:9" : "4:3";
  const [width, height] = SIZES[resolution][lying] ?? SIZES[resolution]["16:9"];
  return wide >= high ? [width, height] : [height, width];
}

type Sizes = Readonly<
  Record<"16:9", readonly [number, number]> & Partial<Record<Ratio, readonly [number, number]>>
>;

const SIZES: Readonly<Record<Resolution, Sizes>> = {
  "480p": { "16:9": [864, 496], "4:3": [752, 560], "1:1": [640, 640], "21:9": [992, 432] },
  "720p": { "16:9": [1280, 720], "4:3": [1112, 834], "1:1": [960, 960], "21:9": [1470, 630] },
  "1080p": { "16:9": [1920, 1080], "4:3": [1664, 1248], "1:1": [1440, 1440], "21:9": [2206, 946] },
  "4k": { "16:9": [3840, 2160], "4:3": [3328, 2496], "1:1": [2880, 2880], "21:9": [4412, 1892] },
};
