import { invalid } from "#core/error.ts";
import { base64Of, linkOf } from "#core/image.ts";
import { refuse } from "#core/lossy.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import { defined } from "#lib/values.ts";

/** Input media by role. */
export interface Given {
  readonly first?: VideoMedia;
  readonly last?: VideoMedia;
  /** Reference images. */
  readonly pictures: readonly VideoMedia[];
  readonly videos: readonly VideoMedia[];
  readonly sounds: readonly VideoMedia[];
}

/**
 * For vendors without remix. Throws for a last frame alone, and for two media of a role that allows
 * one.
 */
export function givenIn({ scenario, source, media }: VideoRequest): Given {
  if (scenario === "remix" || source !== undefined) {
    throw refuse("video_id", "the upstream of this model cannot remix videos.");
  }
  const images = media.filter(({ type }) => type === "image");
  const first = onlyOne(images, "first_frame");
  const last = onlyOne(images, "last_frame");
  if (last !== undefined && first === undefined) {
    throw invalid("image", "A last frame requires a first frame.");
  }
  return {
    ...defined({ first, last }),
    pictures: images.filter((each) => each !== first && each !== last),
    videos: media.filter(({ type }) => type === "video"),
    sounds: media.filter(({ type }) => type === "audio"),
  };
}

function onlyOne(
  images: readonly VideoMedia[],
  role: "first_frame" | "last_frame",
): VideoMedia | undefined {
  const [found, another] = images.filter((each) => each.role === role);
  if (another === undefined) return found;
  throw invalid("image", `At most one ${role.replace("_", " ")} is supported.`);
}

/** Refuses kinds of media that a model does not accept. */
export function refuseMedia(media: readonly VideoMedia[]): void {
  const [first] = media;
  if (first === undefined) return;
  throw invalid(first.type, `This model does not accept ${WORDS[first.type]} in this role.`);
}

const WORDS = { image: "pictures", video: "videos", audio: "sounds" } as const;

/** A link unchanged, other media as a data URI. */
export function linkOrData({ source, type }: VideoMedia): string {
  if (source.kind === "asset" || source.kind === "reference") throw unreachable(type);
  const mediaType = source.kind === "url" ? "" : source.mediaType || TYPES[type];
  return linkOf(source.kind === "url" ? source : { ...source, mediaType })?.toString() ?? "";
}

/** Default media types. */
const TYPES = { image: "image/png", video: "video/mp4", audio: "audio/mpeg" } as const;

/** A link unchanged, other media as base64 without a data URI head. */
export function linkOrBase64({ source, type }: VideoMedia): string {
  if (source.kind === "asset" || source.kind === "reference") throw unreachable(type);
  return source.kind === "url" ? source.url : base64Of(source).toString();
}

/** For vendors that accept links only. */
export function onlyLink({ source, type }: VideoMedia): string {
  if (source.kind === "url") return source.url;
  if (source.kind === "asset" || source.kind === "reference") throw unreachable(type);
  throw invalid(type, `'${type}' must be a link for this model.`);
}

function unreachable(type: VideoMedia["type"]): Error {
  return refuse(type, "it can be used only with the vendor that stores it.");
}
