import type { HeldPicture } from "#core/image.ts";
import type { MadeVideo, TaskFailure, TaskUpdate } from "#core/video.ts";
import { GatewayError } from "#core/error.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { isFilled, throwIfFailed } from "#styles/upstream-error.ts";
import { CODES } from "./codes.ts";
import { CANCELLED, failureOf, linkIn, takenOn } from "#styles/video/task-fields.ts";
import { toldFailure } from "#styles/video/told-failure.ts";

/** The name becomes part of the polling path. */
const NAME = /^[\w.:-]+(\/[\w.:-]+)*\/operations\/[\w.-]+$/;

export function parseSubmitted(body: JsonObject): string {
  throwIfFailed(body);
  const name = takenOn(body["name"]);
  if (NAME.test(name) && !name.includes("..")) return name;
  throw new GatewayError("upstream_failed", "The upstream's response has no operation.");
}

/** An unfinished operation has no progress. */
export function parseTask(body: JsonObject): TaskUpdate {
  const { done, error } = body;
  if (done !== true) {
    throwIfFailed(body);
    return { state: "running" };
  }
  if (isFilled(error)) return { state: "failed", failure: failureIn(error) };
  const videos = samplesIn(body).flatMap((each) => madeOf(each) ?? []);
  const why = videos.length > 0 ? undefined : filteredIn(body);
  if (why !== undefined) return { state: "failed", failure: why };
  return { state: "succeeded", videos };
}

/** The bytes of a video without a URL. */
export function parseContent(body: JsonObject, index: number): HeldPicture | undefined {
  const sample = samplesIn(body).filter((each) => madeOf(each) !== undefined)[index];
  const base64 = sample && bytesIn(sample);
  if (sample === undefined || base64 === undefined) return undefined;
  return { kind: "base64", base64, mediaType: typeIn(sample) ?? "video/mp4" };
}

function failureIn(error: Json): TaskFailure {
  const { code, status, ...rest } = objectOf(error) ?? { message: error };
  const name = textOf(status) ?? CODES.get(integerOf(code) ?? 0);
  if (name === "CANCELLED") return CANCELLED;
  return toldFailure({ ...rest, ...defined({ code: name }) });
}

/** Their position depends on the host and on the version. */
function samplesIn({ response }: JsonObject): readonly JsonObject[] {
  const inner = memberOf(response, "generateVideoResponse");
  const lists = [
    memberOf(inner, "generatedSamples"),
    memberOf(inner, "generatedVideos"),
    memberOf(response, "generatedSamples"),
    memberOf(response, "generatedVideos"),
    memberOf(response, "videos"),
  ];
  const found = lists.map(listOf).find((list) => list.length > 0) ?? [];
  return found.filter(isObject).map((each) => objectOf(each["video"]) ?? each);
}

function madeOf(sample: JsonObject): MadeVideo | undefined {
  const url = linkIn(sample["uri"]) ?? (bytesIn(sample) === undefined ? undefined : "");
  if (url === undefined) return undefined;
  return { url, ...defined({ mediaType: typeIn(sample) }) };
}

function bytesIn(sample: JsonObject): string | undefined {
  const given = [sample["bytesBase64Encoded"], sample["encodedVideo"], sample["videoBytes"]];
  return given.map(textOf).find((bytes) => bytes !== undefined && bytes !== "");
}

function typeIn(sample: JsonObject): string | undefined {
  const types = [sample["mimeType"], sample["encoding"]].map(textOf);
  return types.find((type) => type !== undefined && /^video\/[\w.+-]+$/.test(type));
}

/** If all videos were filtered, the response has a count, and usually a reason. */
function filteredIn({ response }: JsonObject): TaskFailure | undefined {
  const inner = memberOf(response, "generateVideoResponse");
  for (const place of [inner, response]) {
    const count = integerOf(memberOf(place, "raiMediaFilteredCount")) ?? 0;
    const reasons = listOf(memberOf(place, "raiMediaFilteredReasons")).map(textOf);
    const [reason] = reasons.filter((each) => each !== undefined && each !== "");
    if (count <= 0 && reason === undefined) continue;
    return failureOf("content_filtered", reason ?? "The upstream filtered the video out.");
  }
  return undefined;
}
