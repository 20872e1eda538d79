import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import {
  defined,
  flagOf,
  integerOf,
  listOf,
  memberOf,
  numberOf,
  objectOf,
  restOf,
  textOf,
} from "#lib/values.ts";
import { readContent, type Content } from "#styles/video/ark/read-content.ts";
import { readCallbackUrl } from "#styles/video/callback-url.ts";
import { readSeconds } from "#styles/video/read-seconds.ts";
import { scenarioOf } from "#styles/video/scenario.ts";
import { FIELDS, KNOWN, MAX_MEDIA, REQUEST, type FieldName } from "./fields.ts";
import { readMedia, type Own } from "./read-media.ts";

/**
 * A video request with the members of any family; the upstream's endpoint knows which its model
 * supports. `id`: the client's format.
 */
export function readQuestion(
  body: JsonObject,
  id: string,
  files: readonly VideoMedia[] = [],
): VideoRequest {
  validate(body, REQUEST);
  const own = openFields(body);
  const content = readOwnContent(body, own);
  const media = [...(content?.media ?? []), ...readMedia(own, files)];
  if (media.length > MAX_MEDIA) {
    throw invalid("images", `A request may have at most ${MAX_MEDIA} media.`);
  }
  const prompt = content?.prompt ?? textOf(own("prompt"));
  return {
    model: textOf(body["model"]) ?? "",
    scenario: scenarioOf(media),
    media,
    ...(content === undefined ? {} : { wordsIn: "content" }),
    ...content?.flags,
    ...(prompt === undefined || prompt.trim() === "" ? {} : { prompt }),
    ...readWishes(own),
    ...foreign(body, id),
  };
}

/**
 * Top-level fields take precedence over `metadata`, and earlier names over later ones. Empty fields
 * are ignored, because some clients always send all.
 */
function openFields(body: JsonObject): Own {
  const places = [body, objectOf(body["metadata"]) ?? {}];
  return (field: FieldName): Json | undefined => {
    for (const place of places) {
      for (const name of FIELDS[field].names) {
        const value = place[name];
        if (value !== undefined && value !== null && value !== "") return value;
      }
    }
    return undefined;
  };
}

function readOwnContent(body: JsonObject, own: Own): Content | undefined {
  const content = own("content");
  if (content === undefined) return undefined;
  const isInside = memberOf(body["metadata"], "content") === content;
  return readContent(listOf(content), isInside ? "metadata.content" : "content");
}

/** All options except the media. */
function readWishes(own: Own): Omit<VideoRequest, "model" | "scenario" | "media"> {
  return defined({
    negativePrompt: textOf(own("negativePrompt")),
    seconds: secondsIn(own),
    frames: integerOf(own("frames")),
    size: textOf(own("size")),
    resolution: textOf(own("resolution"))?.toLowerCase(),
    ratio: textOf(own("ratio")),
    framesPerSecond: integerOf(own("framesPerSecond")),
    count: integerOf(own("count")),
    seed: integerOf(own("seed")),
    audio: flagOf(own("audio")),
    music: flagOf(own("music")),
    watermark: flagOf(own("watermark")),
    cameraFixed: flagOf(own("cameraFixed")),
    movement: textOf(own("movement")),
    rewrite: flagOf(own("rewrite")),
    guidance: numberOf(own("guidance")),
    mode: textOf(own("mode")),
    camera: objectOf(own("camera")),
    people: textOf(own("people")),
    lastFrame: flagOf(own("lastFrame")),
    callbackUrl: readCallbackUrl(own("callbackUrl"), "callback_url"),
    externalId: textOf(own("externalId")),
    payload: textOf(own("payload")),
    user: textOf(own("user")),
  });
}

/** Options that affect the price must be given once, or twice with the same value. */
function secondsIn(own: Own): number | undefined {
  const duration = readSeconds(own("duration"), "duration");
  const seconds = readSeconds(own("seconds"), "seconds");
  if (duration !== undefined && seconds !== undefined && duration !== seconds) {
    throw invalid("seconds", "'seconds' and 'duration' must not differ.");
  }
  return duration ?? seconds;
}

/** Members of the model's vendor. They must not name another model. */
function foreign(body: JsonObject, id: string): Pick<VideoRequest, "extra"> {
  const inside = restOf(objectOf(body["metadata"]) ?? {}, KNOWN);
  const members = { ...inside, ...restOf(body, KNOWN) };
  return Object.keys(members).length === 0 ? {} : { extra: { [id]: members } };
}
