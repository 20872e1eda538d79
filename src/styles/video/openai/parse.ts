import type { MadeVideo, TaskFacts, TaskUpdate } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { throwIfFailed, type Vocabulary } from "#styles/upstream-error.ts";
import { usageBySeconds } from "#styles/video/by-seconds.ts";
import { idOf, linkIn, secondsIn, takenOn } from "#styles/video/task-fields.ts";
import { toldFailure } from "#styles/video/told-failure.ts";
import { COMMON_WORDS, statusWords, updateBy } from "#styles/video/task-status.ts";

export const VOCABULARY: Vocabulary = [[/^moderation_blocked|^content_policy/, "content_filtered"]];

export function parseSubmitted(body: JsonObject): string {
  throwIfFailed(body, VOCABULARY);
  return takenOn(body["id"]);
}

/** Servers of this format differ more in the status words than in the members. */
const STATUS = statusWords({ ...COMMON_WORDS, succeeded: "completed succeeded success" });

export function parseTask(body: JsonObject): TaskUpdate {
  const status = textOf(body["status"])?.toLowerCase();
  if (status === undefined) throwIfFailed(body, VOCABULARY);
  return updateBy(STATUS.get(status ?? ""), {
    made: () => made(body),
    failure: () => toldFailure(whyIn(body), VOCABULARY),
    progress: progressIn(body["progress"]),
  });
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
