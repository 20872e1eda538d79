import type { Media } from "./media.ts";

/** The shapes that most vendors know. */
export const RATIOS = ["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"] as const;
export type Ratio = (typeof RATIOS)[number];

/** The ratio that comes nearest to a picture; that of a film where nothing is known of it. */
export function nearestRatio({ widthPixels, heightPixels }: Partial<Media>): Ratio {
  if (widthPixels === undefined || heightPixels === undefined) return "16:9";
  const wanted = Math.log(widthPixels / heightPixels);
  const distance = (ratio: Ratio) => {
    const [wide = 1, high = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(wide / high) - wanted);
  };
  return RATIOS.reduce((best, ratio) => (distance(ratio) < distance(best) ? ratio : best));
}

/** Width and height in pixels, of which the shorter one is named. */
export function sidesOf(ratio: Ratio, short: number) {
  const [wide = 1, high = 1] = ratio.split(":").map(Number);
  const long = 2 * Math.round((short * Math.max(wide / high, high / wide)) / 2);
  return wide >= high ? { width: long, height: short } : { width: short, height: long };
}
