import { invalid } from "#core/error.ts";
import type { ImageRequest } from "#core/image.ts";
import type { LossReport } from "#core/lossy.ts";

/**
 * The requested aspect ratio among those of the model: given as a ratio, or the one nearest to a
 * size in pixels. Undefined if the model may choose. An explicit ratio takes precedence over a
 * size.
 */
export function ratioFor(
  { size, aspectRatio }: ImageRequest,
  ratios: readonly string[],
  report: LossReport,
): string | undefined {
  const bySize = readShape("size", size, ratios);
  const asRatio = readShape("aspect_ratio", aspectRatio, ratios);
  if (asRatio !== undefined && bySize !== undefined && asRatio !== bySize) report.lose("size");
  return asRatio ?? bySize;
}

function readShape(
  param: string,
  shape: string | undefined,
  ratios: readonly string[],
): string | undefined {
  const wanted = shape?.trim().toLowerCase();
  if (wanted === undefined || wanted === "" || wanted === "auto") return undefined;
  if (ratios.includes(wanted)) return wanted;
  const [, width, height] = /^([1-9]\d{0,4})[x*]([1-9]\d{0,4})$/.exec(wanted) ?? [];
  if (width === undefined || height === undefined) {
    const known = ratios.join(", ");
    throw invalid(
      param,
      `'${param}' must be one of ${known} or a size in pixels such as 1024x1024.`,
    );
  }
  return nearest(Number(width) / Number(height), ratios);
}

/** Logarithmic: twice as wide is as far away as half as wide. */
function nearest(wanted: number, ratios: readonly string[]): string | undefined {
  const far = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(wanted) - Math.log(across / down));
  };
  return ratios.toSorted((one, other) => far(one) - far(other))[0];
}
