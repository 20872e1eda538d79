import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

const USUAL = "1K";
/** As callers may write them, for models of any generation. */
const RESOLUTIONS = ["512", "1K", "2K", "4K"];
const QUALITIES: ReadonlyMap<string, string> = new Map([
  ["hd", "2K"],
  ["high", "2K"],
  ["2k", "2K"],
  ["standard", USUAL],
  ["medium", USUAL],
  ["low", USUAL],
  ["auto", USUAL],
  ["1k", USUAL],
]);

/**
 * How large a picture is to be, of the sizes that a model has; undefined for
 * one that draws in one size only, and is told none. A size that was asked for
 * wins over a quality.
 */
export function resolutionFor(
  question: ImageRequest,
  sizes: readonly string[],
  report: LossReport,
): string | undefined {
  const { resolution, quality } = question;
  const bySize = readResolution(resolution, sizes);
  const byQuality = readQuality(quality);
  const wanted = bySize ?? byQuality ?? USUAL;
  if (sizes.includes(wanted)) return wanted;
  if (wanted !== USUAL) report.lose(bySize === undefined ? "quality" : "image_size");
  return sizes.length === 0 ? undefined : USUAL;
}

/** Of a model with one size none is refused: there is nothing to choose. */
function readResolution(
  resolution: string | undefined,
  sizes: readonly string[],
): string | undefined {
  if (resolution === undefined) return undefined;
  const wanted = resolution.trim().toUpperCase();
  const known = sizes.length === 0 ? RESOLUTIONS : sizes;
  if (known.includes(wanted)) return wanted;
  throw invalid("image_size", `'image_size' must be one of ${known.join(", ")}.`);
}

function readQuality(quality: string | undefined): string | undefined {
  if (quality === undefined) return undefined;
  const wanted = QUALITIES.get(quality.trim().toLowerCase());
  if (wanted !== undefined) return wanted;
  const known = "hd, high, 2K, standard, medium, low, auto, 1K";
  throw invalid("quality", `'quality' must be one of ${known}.`);
}
