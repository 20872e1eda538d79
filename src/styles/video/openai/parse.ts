import type { MadeVideo, TaskFacts, TaskUpdate } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import {
  asGatewayError,
  explainInside,
  isFilled,
  type Vocabulary,
} from "#styles/upstream-error.ts";
import { usageBySeconds } from "#styles/video/by-seconds.ts";
import { CANCELLED, EXPIRED, idOf, linkIn, secondsIn, takenOn } from "#styles/video/task-fields.ts";
import { toldFailure } from "#styles/video/told-failure.ts";

export const VOCABULARY: Vocabulary = [[/^moderation_blocked|^content_policy/, "content_filtered"]];

export function parseSubmitted(body: JsonObject): string {
  throwIfFailed(body);
  return takenOn(body["id"]);
}

/** Servers of this format differ more in the status words than in the members. */
export function parseTask(body: JsonObject): TaskUpdate {
  const progress = progressIn(body["progress"]);
  switch (textOf(body["status"])?.toLowerCase()) {
    case "queued":
    case "pending":
    case "submitted":
      return { state: "queued", ...defined({ progress }) };
    case "completed":
    case "succeeded":
    case "success":
      return made(body);
    case "failed":
      return { state: "failed", failure: toldFailure(whyIn(body), VOCABULARY) };
    case "cancelled":
    case "canceled":
      return { state: "failed", failure: CANCELLED };
    case "expired":
      return { state: "failed", failure: EXPIRED };
    case undefined:
      throwIfFailed(body);
      return { state: "running", ...defined({ progress }) };
    default:
      return { state: "running", ...defined({ progress }) };
  }
}

function throwIfFailed(body: JsonObject): void {
  if (isFilled(body["error"])) throw asGatewayError(explainInside(body, VOCABULARY));
}

function whyIn({ error }: JsonObject): JsonObject {
  return typeof error === "string" ? { message: error } : (objectOf(error) ?? {});
}

function progressIn(value: Json | undefined): number | undefined {
  const progress = numberOf(value);
  if (progress === undefined || !(progress >= 0 && progress <= 100)) return undefined;
  return Math.floor(progress);
}

const SIZE = /^(\d{2,5})x(\d{2,5})$/;

/** The bytes are downloaded by the video's id, unless the response has a URL. */
function made(body: JsonObject): TaskUpdate {
  const { metadata, expires_at: expiresAt } = body;
  const urls = [memberOf(metadata, "url"), body["url"], body["video_url"]];
  const facts = factsIn(body);
  const [, width, height] = (SIZE.exec(facts.size ?? "") ?? []).map(Number);
  const video: MadeVideo = {
    url: urls.map(linkIn).find((url) => url !== undefined) ?? "",
    ...defined({ id: idOf(body["id"]), seconds: facts.seconds, width, height }),
  };
  const end = integerOf(expiresAt) ?? 0;
  const linksEndAt = end > 0 && Number.isSafeInteger(end * 1_000) ? end * 1_000 : undefined;
  return {
    state: "succeeded",
    videos: [video],
    facts,
    ...defined({ usage: usageBySeconds(facts.seconds, facts), linksEndAt }),
  };
}

function factsIn(body: JsonObject): Partial<TaskFacts> {
  const size = textOf(body["size"]);
  return defined({
    seconds: secondsIn(body["seconds"]),
    size: size !== undefined && SIZE.test(size) ? size : undefined,
  });
}
