import { oneOf } from "#styles/video/allowed.ts";
import type { VeoDialect } from "./dialect.ts";

/** What all models make, some of them without being told. */
export const LOWEST = "720p";
/** Of all models of the family; what one of them does not make is lowered. */
const RESOLUTIONS = [LOWEST, "1080p", "4k"];

interface Shot {
  readonly seconds: number;
  readonly ratio: string;
  readonly goesOn: boolean;
}

/** The highest that is not above what was asked for, of those that the model makes of such a video. */
export function resolutionFor(
  asked: string | undefined,
  { seconds, ratio, goesOn }: Shot,
  { resolutions, highOnly = {} }: VeoDialect,
): string | undefined {
  if (oneOf(asked, RESOLUTIONS, "resolution") === undefined) return undefined;
  const [lowest] = resolutions;
  if (lowest === undefined) return undefined;
  const { length = seconds, ratio: wide = ratio } = highOnly;
  if (goesOn || seconds !== length || ratio !== wide) return lowest;
  const most = RESOLUTIONS.indexOf(asked ?? "");
  return resolutions.findLast((each) => RESOLUTIONS.indexOf(each) <= most) ?? lowest;
}
