import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { givenIn, linkOrData, onlyLink, refuseMedia, type Given } from "#styles/video/given.ts";
import type { ArkVideoDialect } from "./dialect.ts";

const MAX_VIDEOS = 3;
const MAX_SOUNDS = 3;
const MAX_PICTURES = 9;

/** The text, then the media in order, each with its role. */
export function contentOf(question: VideoRequest, dialect: ArkVideoDialect): JsonObject[] {
  checkGiven(givenIn(question), dialect);
  const { prompt = "" } = question;
  if (question.wordsIn === "prompt") {
    throw invalid(
      "metadata.content",
      "'metadata.content' is required for this model: send text and images there.",
    );
  }
  const words = prompt.trim() === "" ? [] : [{ type: "text", text: prompt }];
  const content = [...words, ...question.media.map(elementOf)];
  if (content.length > 0) return content;
  throw invalid("prompt", "'prompt' is required if there are no images.");
}

/** A video has a first frame, first and last frames, or references: only one of the three. */
function checkGiven(given: Given, dialect: ArkVideoDialect): void {
  const { first, last, pictures, videos, sounds } = given;
  const { maxPictures = MAX_PICTURES, isBlind, hearsWithPicturesOnly } = dialect;
  const references = [...pictures, ...videos, ...sounds];
  if (isBlind) refuseMedia([...(first === undefined ? [] : [first]), ...references]);
  if (first !== undefined && references.length > 0) {
    const frame = last === undefined ? "A first frame" : "A last frame";
    throw invalid("image", `${frame} cannot be combined with reference media.`);
  }
  checkCount(pictures, maxPictures);
  checkCount(videos, MAX_VIDEOS);
  checkCount(sounds, MAX_SOUNDS);
  if (hearsWithPicturesOnly && sounds.length > 0 && pictures.length + videos.length === 0) {
    throw invalid("audio", "'audio' requires an image or a video for this model.");
  }
}

function checkCount(media: readonly VideoMedia[], most: number): void {
  const [first] = media;
  if (first === undefined || media.length <= most) return;
  const what = first.type === "image" ? "pictures to refer to" : `${first.type}s`;
  throw invalid(first.type, `This model accepts at most ${most} ${what}, not ${media.length}.`);
}

function elementOf(medium: VideoMedia): JsonObject {
  switch (medium.type) {
    case "image": {
      const { role } = medium;
      const isFrame = role === "first_frame" || role === "last_frame";
      const url = assetOf(medium) ?? linkOrData(medium);
      return { type: "image_url", image_url: { url }, role: isFrame ? role : "reference_image" };
    }
    case "video": {
      const url = assetOf(medium) ?? onlyLink(medium);
      return { type: "video_url", video_url: { url }, role: "reference_video" };
    }
    case "audio": {
      const url = assetOf(medium) ?? soundOf(medium);
      return { type: "audio_url", audio_url: { url }, role: "reference_audio" };
    }
  }
}

function assetOf({ source }: VideoMedia): string | undefined {
  return source.kind === "asset" ? `asset://${source.id}` : undefined;
}

/** The vendor's audio format name, which differs from that of the media type. */
function soundOf(medium: VideoMedia): string {
  const link = linkOrData(medium);
  const isWave = /^data:audio\/[a-z.-]*;base64,UklGR/i.test(link);
  return link.replace(
    /^data:audio\/(mpeg|wave|x-wav|vnd\.wave);/i,
    `data:audio/${isWave ? "wav" : "mp3"};`,
  );
}
