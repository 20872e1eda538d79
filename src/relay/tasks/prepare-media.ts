import type { VideoMedia, VideoRequest } from "#core/video.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import type { MediaTerms } from "#providers/provider.ts";
import { preparePicture } from "../pictures.ts";
import type { Tools } from "../operate.ts";

const AT_ONCE = 4;

export type PrepareTools = Pick<Tools, "media" | "maxPixels" | "signal">;

/**
 * Prepares a request's media for a vendor: downloads links that it does not follow, and converts
 * images that it cannot read to PNG. Throws `invalid_request` for a failed download or an invalid
 * image.
 */
export async function prepareMedia(
  question: VideoRequest,
  terms: MediaTerms,
  tools: PrepareTools,
): Promise<VideoRequest> {
  const media = await mapAtMost(question.media, AT_ONCE, (each) => prepared(each, terms, tools));
  return { ...question, media };
}

async function prepared(
  medium: VideoMedia,
  { inlines, types }: MediaTerms,
  tools: PrepareTools,
): Promise<VideoMedia> {
  const { source, type } = medium;
  if (source.kind === "asset" || source.kind === "reference") return medium;
  const isInlined = inlines.includes(type);
  if (type === "image") {
    const terms = { inlines: isInlined, types };
    return { ...medium, source: await preparePicture(source, "image", terms, tools) };
  }
  if (source.kind !== "url" || !isInlined) return medium;
  const fetched = await tools.media.follow(source.url, tools.signal);
  return { ...medium, source: { kind: "bytes", ...fetched } };
}
