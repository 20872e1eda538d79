import { invalid } from "#core/error.ts";
import type { VideoRequest } from "#core/video.ts";
import { defined } from "#lib/values.ts";

/** Resolution and aspect ratio, for vendors without sizes in pixels. */
export interface Framing {
  readonly resolution?: string;
  readonly ratio?: string;
}

/**
 * The requested framing in any notation; an explicit resolution or ratio takes precedence over a
 * size.
 */
export function framingOf({ size, resolution, ratio }: Partial<VideoRequest>): Framing {
  const bySize = size === undefined ? {} : readSize(size);
  return defined({
    resolution: resolution ?? bySize.resolution,
    ratio: ratio ?? bySize.ratio,
  });
}

/** A pair such as `16:9` or `1280x720` for the other orientation. */
export function turned(pair: string, by: string): string {
  return pair.split(by).toReversed().join(by);
}

const SIZE = /^(\d{2,5})[x*](\d{2,5})$/i;

function readSize(size: string): Framing {
  const [, wide = "", high = ""] = SIZE.exec(size) ?? [];
  const width = Number(wide);
  const height = Number(high);
  if (width === 0 || height === 0) {
    throw invalid("size", "'size' must be a width and a height, such as 1280x720.");
  }
  return { resolution: resolutionOf(Math.min(width, height)), ratio: ratioOf(width, height) };
}

/** By the shorter side. */
const RESOLUTIONS: readonly (readonly [number, string])[] = [
  [360, "360p"],
  [480, "480p"],
  [540, "540p"],
  [720, "720p"],
  [768, "768p"],
  [1_080, "1080p"],
  [1_440, "2k"],
  [2_160, "4k"],
];

function resolutionOf(shorter: number): string {
  let best = "";
  let least = Infinity;
  for (const [side, name] of RESOLUTIONS) {
    const distance = Math.abs(Math.log(shorter / side));
    if (distance < least) [best, least] = [name, distance];
  }
  return best;
}

const RATIOS = ["16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3", "21:9", "9:21"];
/** Encoders need even numbers, so a size rarely matches its ratio exactly. */
const TOLERANCE = 0.04;

function ratioOf(width: number, height: number): string {
  const found = RATIOS.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(width / height / (across / down))) <= TOLERANCE;
  });
  if (found !== undefined) return found;
  throw invalid("size", `'size' must be of one of the ratios ${RATIOS.join(", ")}.`);
}
