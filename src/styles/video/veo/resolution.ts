import { oneOf } from "#styles/video/allowed.ts";
import type { VeoDialect } from "./dialect.ts";

/** The resolution that all models support, some without a parameter. */
export const LOWEST = "720p";
/** The resolutions of the model family; a model's unsupported value is lowered. */
const RESOLUTIONS = [LOWEST, "1080p", "4k"];

interface Shot {
  readonly seconds: number;
  readonly ratio: string;
  readonly goesOn: boolean;
}

/**
 * The highest supported resolution for this kind of video that does not exceed the requested one.
 */
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
