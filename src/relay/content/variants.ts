import { GatewayError } from "#core/error.ts";
import { VARIANTS, type Variant } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import type { MadeVideo } from "#core/video.ts";
import type { ContentRequest } from "./content.ts";

const LINKS: Readonly<Record<Variant, (video: MadeVideo) => string | undefined>> = {
  video: ({ url }) => url,
  thumbnail: ({ coverUrl }) => coverUrl,
  spritesheet: () => undefined,
  last_frame: ({ lastFrameUrl }) => lastFrameUrl,
  watermarked: ({ watermarkedUrl }) => watermarkedUrl,
};

/** Further files that a video is known to have. */
export function variantsOf(video: MadeVideo): readonly Variant[] {
  return VARIANTS.filter((each) => each === "video" || (LINKS[each](video) ?? "") !== "");
}

/** Undefined if the file does not exist, empty if the vendor has no link for it. */
export function linkOf({ videos }: Task, { index, variant }: ContentRequest): string | undefined {
  const video = videos[index];
  if (video === undefined) throw notFound(`This task has no video ${index}.`);
  return LINKS[variant](video);
}

export function notFound(message: string): GatewayError {
  return new GatewayError("not_found", message);
}
