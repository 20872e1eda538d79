import type { HeldPicture } from "#core/image.ts";
import type { TaskFacts, TaskUpdate, TaskRef } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { asGatewayError, explainInside, isFilled } from "#styles/upstream-error.ts";
import { usageBySeconds } from "#styles/video/by-seconds.ts";
import { linkEnd } from "#styles/video/link-end.ts";
import { addressIn, heldAmong, secondsIn, takenOn } from "#styles/video/task-fields.ts";
import { toldFailure } from "#styles/video/told-failure.ts";
import { VOCABULARY } from "#styles/vocabulary/dashscope.ts";
import { statusWords, updateBy } from "#styles/video/task-status.ts";

export function parseSubmitted(body: JsonObject): string {
  throwIfRefused(body);
  return takenOn(memberOf(body["output"], "task_id"));
}

const STATUS = statusWords({
  queued: "PENDING SUSPENDED",
  succeeded: "SUCCEEDED",
  failed: "FAILED",
  cancelled: "CANCELED CANCELLED",
  // The vendor deletes tasks after a day.
  expired: "UNKNOWN",
});

export function parseTask(body: JsonObject, { audio }: Pick<TaskRef, "audio">): TaskUpdate {
  const status = textOf(memberOf(body["output"], "task_status"))?.toUpperCase();
  if (status === undefined) throwIfRefused(body);
  return updateBy(STATUS.get(status ?? ""), {
    made: () => made(body, audio),
    failure: () => toldFailure(whyIn(body), VOCABULARY),
  });
}

/** An error is the whole body, with any status. */
function throwIfRefused(body: JsonObject): void {
  const isRefusal = isFilled(body["code"]) && !isObject(body["output"]);
  if (isRefusal || isFilled(body["error"])) throw asGatewayError(explainInside(body, VOCABULARY));
}

/** Usually beside the status; some failures have no reason. */
function whyIn({ output, code, message }: JsonObject): JsonObject {
  const why = objectOf(output) ?? {};
  return defined({
    code: textOf(why["code"]) ?? textOf(code),
    message: textOf(why["message"]) ?? textOf(message),
  });
}

export function parseContent({ output }: JsonObject, index: number): HeldPicture | undefined {
  return heldAmong(addressesIn(output), index);
}

function addressesIn(output: Json | undefined): readonly (Json | undefined)[] {
  return [memberOf(output, "video_url"), memberOf(memberOf(output, "results"), "video_url")];
}

function made(body: JsonObject, audio: boolean | undefined): TaskUpdate {
  const { output } = body;
  const counted = objectOf(body["usage"]) ?? {};
  const url = addressesIn(output)
    .map(addressIn)
    .find((address) => address !== undefined);
  const facts = factsIn(counted);
  // Input videos are charged as well.
  const charged = secondsIn(counted["duration"]) ?? facts.seconds;
  const usage = usageBySeconds(charged, { ...facts, ...defined({ audio }) });
  if (url === undefined) return { state: "succeeded", videos: [], facts };
  return {
    state: "succeeded",
    videos: [{ url, ...defined({ seconds: facts.seconds }) }],
    facts,
    ...defined({ usage, linksEndAt: linkEnd(url) }),
  };
}

/** Each generation has other members for the length. */
function factsIn(usage: JsonObject): Partial<TaskFacts> {
  const lengths = [usage["output_video_duration"], usage["video_duration"], usage["duration"]];
  const lines = integerOf(usage["SR"]) ?? Number(textOf(usage["SR"]));
  const size = textOf(usage["size"])?.replace("*", "x");
  const count = numberOf(usage["video_count"]) ?? 1;
  return defined({
    seconds: lengths.map(secondsIn).find((length) => length !== undefined),
    resolution: lines > 0 ? `${lines}p` : undefined,
    size: size !== undefined && /^\d{2,5}x\d{2,5}$/.test(size) ? size : undefined,
    count: count > 1 && Number.isInteger(count) ? count : undefined,
  });
}
