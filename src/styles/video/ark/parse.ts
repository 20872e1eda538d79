import type { HeldPicture } from "#core/image.ts";
import type { MadeVideo, TaskFacts, TaskUpdate } from "#core/video.ts";
import { gradeOf } from "#core/video.ts";
import { usageOf, type Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { isFilled, throwIfFailed } from "#styles/upstream-error.ts";
import { linkEnd } from "#styles/video/link-end.ts";
import { addressIn, heldAmong, linkIn, secondsIn, takenOn } from "#styles/video/task-fields.ts";
import { toldFailure } from "#styles/video/told-failure.ts";
import { VOCABULARY } from "#styles/vocabulary/ark.ts";
import { COMMON_WORDS, statusWords, updateBy } from "#styles/video/task-status.ts";
import { FRAMES_A_SECOND } from "./build.ts";

export function parseSubmitted(body: JsonObject): string {
  throwIfFailed(body, VOCABULARY);
  return takenOn(body["id"]);
}

const STATUS = statusWords({ ...COMMON_WORDS, succeeded: "succeeded" });

export function parseTask(body: JsonObject): TaskUpdate {
  const status = textOf(body["status"])?.toLowerCase();
  if (status === undefined) throwIfFailed(body, VOCABULARY);
  return updateBy(STATUS.get(status ?? ""), {
    made: () => made(body),
    failure: () => toldFailure(whyIn(body), VOCABULARY),
  });
}

/** The vendor's two official libraries use different names. */
function whyIn(body: JsonObject): JsonObject {
  const { error, failure_reason: reason } = body;
  if (typeof reason === "string") return { message: reason };
  return objectOf(isFilled(error) ? error : reason) ?? {};
}

function made(body: JsonObject): TaskUpdate {
  const { content } = body;
  const url = addressIn(memberOf(content, "video_url"));
  const facts = factsIn(body);
  const linksEndAt = url === undefined ? undefined : linkEnd(url);
  const video: MadeVideo | undefined =
    url === undefined
      ? undefined
      : {
          url,
          ...defined({
            mediaType: body["fileformat"] === "mov" ? "video/quicktime" : undefined,
            lastFrameUrl: linkIn(memberOf(content, "last_frame_url")),
            seconds: facts.seconds,
          }),
        };
  return {
    state: "succeeded",
    videos: video === undefined ? [] : [video],
    facts,
    ...defined({ usage: usageIn(body, facts), linksEndAt }),
  };
}

function factsIn(body: JsonObject): Partial<TaskFacts> {
  return defined({
    seconds: secondsIn(body["duration"]),
    frames: integerOf(body["frames"]),
    resolution: textOf(body["resolution"])?.toLowerCase(),
    ratio: textOf(body["ratio"]),
    framesPerSecond: integerOf(body["framespersecond"]),
    seed: integerOf(body["seed"]),
    audio: flagOf(body["generate_audio"]),
  });
}

/** Undefined if the response has no count: a video is never free. */
function usageIn({ usage }: JsonObject, facts: Partial<TaskFacts>): Usage | undefined {
  const counts = [memberOf(usage, "completion_tokens"), memberOf(usage, "total_tokens")];
  const outputTokens = counts.map(integerOf).find((count) => count !== undefined && count > 0);
  if (outputTokens === undefined) return undefined;
  const { frames = 0, framesPerSecond = FRAMES_A_SECOND, resolution } = facts;
  // The response contains only the length that was requested, in seconds or frames.
  const seconds = facts.seconds ?? frames / framesPerSecond;
  return usageOf({
    inputTokens: 0,
    outputTokens,
    durationMs: Math.round(seconds * 1_000),
    searches: integerOf(memberOf(memberOf(usage, "tool_usage"), "web_search")),
    ...(resolution === undefined ? {} : { grade: gradeOf({ ...facts, resolution }) }),
  });
}

export function parseContent({ content }: JsonObject, index: number): HeldPicture | undefined {
  return heldAmong([memberOf(content, "video_url")], index);
}
