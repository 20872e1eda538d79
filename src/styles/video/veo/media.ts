import { invalid } from "#core/error.ts";
import { base64Of } from "#core/image.ts";
import { refuse } from "#core/lossy.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { givenIn, refuseMedia } from "#styles/video/given.ts";
import type { VeoDialect } from "./dialect.ts";

const MAX_REFERENCES = 3;

/** A video has a first frame, extends a video, or has reference images: only one of the three. */
export function mediaOf(question: VideoRequest, dialect: VeoDialect): JsonObject {
  const { first, last, pictures, videos, sounds } = givenIn(question);
  refuseMedia(sounds);
  const [video, another] = videos;
  if (another !== undefined) throw invalid("video", "At most one video can be extended.");
  if (last !== undefined && dialect.lastFrame !== true) {
    throw invalid("image", "This model does not support a last frame.");
  }
  if (pictures.length > MAX_REFERENCES) {
    throw invalid("image", `This model accepts at most ${MAX_REFERENCES} reference images.`);
  }
  if (pictures.length > 0 && (first ?? video) !== undefined) {
    throw invalid("image", "Reference images cannot be combined with a frame or a video.");
  }
  if (first !== undefined && video !== undefined) {
    throw invalid("image", "A first frame cannot be combined with a video to extend.");
  }
  return defined({
    image: first && pictureOf(first, dialect),
    lastFrame: last && pictureOf(last, dialect),
    referenceImages:
      pictures.length === 0
        ? undefined
        : pictures.map((each) => ({ image: pictureOf(each, dialect), referenceType: "asset" })),
    video: video && videoOf(video, dialect),
  });
}

function pictureOf({ source }: VideoMedia, { videoAs }: VeoDialect): JsonObject {
  switch (source.kind) {
    case "base64":
    case "bytes":
      return {
        bytesBase64Encoded: base64Of(source).toString(),
        mimeType: source.mediaType || "image/png",
      };
    case "reference":
      if (videoAs === "encoded") throw unreachable("image");
      return { gcsUri: stored(source.id, "image"), mimeType: typeOf(source.id) };
    case "url":
    case "asset":
      throw unreachable("image");
  }
}

function videoOf({ source }: VideoMedia, { videoAs }: VeoDialect): JsonObject {
  switch (source.kind) {
    case "base64":
    case "bytes": {
      const data = base64Of(source).toString();
      const type = source.mediaType || "video/mp4";
      return videoAs === "bytes"
        ? { bytesBase64Encoded: data, mimeType: type }
        : { encodedVideo: data, encoding: type };
    }
    case "reference":
      return videoAs === "bytes"
        ? { gcsUri: stored(source.id, "video"), mimeType: "video/mp4" }
        : { uri: source.id };
    case "url":
    case "asset":
      throw unreachable("video");
  }
}

/** An object in the vendor's storage, if its owner allows this account to read it. */
function stored(id: string, type: VideoMedia["type"]): string {
  if (id.startsWith("gs://")) return id;
  throw unreachable(type);
}

function typeOf(id: string): string {
  return /\.jpe?g$/i.test(id) ? "image/jpeg" : "image/png";
}

function unreachable(type: VideoMedia["type"]): Error {
  return refuse(type, "it can be used only with the vendor that stores it.");
}
