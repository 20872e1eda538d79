import { brokenRules, invalid } from "./error.ts";
import { mediaOf } from "./media.ts";
import type { Model } from "./models.ts";
import type { Content } from "./proto/content.ts";
import type { GenerationConfig } from "./proto/generation-config.ts";

export interface Picture {
  /** As in "16:9". */
  readonly aspectRatio: string;
  /** As in "2K". */
  readonly size: string;
}

export function readPicture(
  { imageConfig = {} }: GenerationConfig,
  { id, pictures }: Model,
  root: string,
): Picture {
  const { aspectRatio, imageSize } = imageConfig;
  if (pictures !== undefined) {
    const { ratios, sizes } = pictures;
    if (imageSize !== undefined && sizes.length === 0)
      throw invalid(`Image size is not supported for models/${id}`);
    if (aspectRatio !== undefined && !ratios.includes(aspectRatio))
      throw notAmong("aspect_ratio", ratios, root);
    if (imageSize !== undefined && !sizes.includes(imageSize))
      throw notAmong("image_size", sizes, root);
  }
  return { aspectRatio: aspectRatio ?? "1:1", size: imageSize ?? "1K" };
}

function notAmong(name: string, values: readonly string[], root: string): Error {
  const reason = `${name} must be one of ${values.join(", ")}.`;
  return brokenRules(root, [{ path: `generation_config.image_config.${name}`, reason }]);
}

/** The pictures from which a picture is made, those of earlier turns included. */
export function countGiven(contents: readonly Content[]): number {
  const media = contents.flatMap(({ parts = [] }) => mediaOf(parts));
  return media.filter(({ kind }) => kind === "image").length;
}

export function checkGiven(contents: readonly Content[], { id, pictures }: Model): void {
  const given = countGiven(contents);
  if (pictures === undefined || given <= pictures.maxGiven) return;
  throw invalid(
    `The number of images (${given}) exceeds the maximum number of images allowed (${pictures.maxGiven}) for models/${id}.`,
  );
}
