import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

const USUAL = "1K";
/** Client values, for models of any generation. */
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
 * The output resolution among the sizes of the model; undefined for a model with one size, which
 * takes no parameter. An explicit size takes precedence over a quality.
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

/** For a model with one size every value is accepted, because there is no choice. */
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
