import { invalid } from "#core/error.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { givenIn, linkOrData, onlyLink, refuseMedia, type Given } from "#styles/video/given.ts";
import type { WanDialect } from "./dialect.ts";

const MAX_REFERENCES = 5;
const MAX_VIDEOS = 3;

/** The input media, in the members of the model's generation. */
export function inputOf(question: VideoRequest, dialect: WanDialect): JsonObject {
  const given = givenIn(question);
  const { first, last, pictures, videos, sounds } = given;
  if (sounds.length > 0 && !dialect.takesSound) refuseMedia(sounds);
  if (sounds.length > 1 && !dialect.hearsVoices)
    throw invalid("audio", "At most one audio input is supported.");
  const heard = defined({ audio_url: sounds[0] && linkTo(sounds[0]) });
  switch (dialect.from) {
    case "words":
      refuseMedia(shownIn(given));
      return heard;
    case "picture":
      refuseMedia([...(last === undefined ? [] : [last]), ...videos]);
      return { img_url: linkTo(onlyPicture(first, pictures)), ...heard };
    case "frames":
      refuseMedia([...pictures, ...videos]);
      if (first === undefined || last === undefined) {
        throw invalid("image", "This model requires a first and a last frame.");
      }
      return { first_frame_url: linkTo(first), last_frame_url: linkTo(last), ...heard };
    case "references":
      refuseMedia(first === undefined ? [] : [first]);
      return { reference_urls: referencesIn(pictures, videos), ...heard };
    case "any":
    case "list":
      return withList(listOf(question, given, dialect), dialect);
  }
}

function shownIn({ first, last, pictures, videos }: Given): readonly VideoMedia[] {
  return [first, last, ...pictures, ...videos].filter((each) => each !== undefined);
}

/** A single reference image is used as the first frame if the model supports no references. */
function onlyPicture(
  first: VideoMedia | undefined,
  [picture, another]: readonly VideoMedia[],
): VideoMedia {
  const found = first ?? picture;
  if (found === undefined) throw invalid("image", "This model requires a first frame.");
  if (another === undefined && (first === undefined || picture === undefined)) return found;
  throw invalid("image", "This model accepts at most one image.");
}

function referencesIn(
  pictures: readonly VideoMedia[],
  videos: readonly VideoMedia[],
): readonly string[] {
  const all = [...videos, ...pictures];
  if (all.length === 0) throw invalid("image", "This model requires reference images or videos.");
  if (videos.length > MAX_VIDEOS || all.length > MAX_REFERENCES) {
    const most = `at most ${MAX_REFERENCES} images and videos, at most ${MAX_VIDEOS} of them videos`;
    throw invalid("image", `This model accepts ${most}.`);
  }
  return all.map(linkTo);
}

const NAMES = { first_frame: "first_frame", last_frame: "last_frame" } as const;

/** In the client's order, because the prompt refers to positions. */
function listOf(
  { media }: VideoRequest,
  given: Given,
  { videoAs = "reference_video", hearsVoices }: WanDialect,
): readonly JsonObject[] {
  const { videos, pictures } = given;
  if (videoAs !== "reference_video" && videos.length > 1) {
    throw invalid("video", "This model accepts at most one video.");
  }
  if (videos.length + pictures.length > MAX_REFERENCES) {
    throw invalid("image", `This model accepts at most ${MAX_REFERENCES} images and videos.`);
  }
  const list: JsonObject[] = [];
  for (const each of media) {
    const before = list.at(-1);
    if (each.type !== "audio" || !hearsVoices) {
      list.push({ type: typeOf(each, videoAs), url: linkTo(each) });
    } else if (before === undefined || "reference_voice" in before) {
      throw invalid("audio", "A voice must follow the image or video that it belongs to.");
    } else {
      list.splice(-1, 1, { ...before, reference_voice: linkTo(each) });
    }
  }
  return list;
}

function withList(media: readonly JsonObject[], { from }: WanDialect): JsonObject {
  if (media.length > 0) return { media };
  if (from === "any") return {};
  throw invalid("image", "This model requires an image or a video.");
}

function typeOf({ type, role }: VideoMedia, videoAs: NonNullable<WanDialect["videoAs"]>): string {
  if (type === "audio") return "driving_audio";
  if (type === "video") return role === "reference" ? "reference_video" : videoAs;
  return role === "first_frame" || role === "last_frame" ? NAMES[role] : "reference_image";
}

/** Media in the vendor's own storage are addressed by their name there. */
function linkTo(medium: VideoMedia): string {
  const { source, type } = medium;
  if (source.kind === "reference" && source.id.startsWith("oss://")) return source.id;
  return type === "image" ? linkOrData(medium) : onlyLink(medium);
}
