import type { Task } from "#core/task.ts";
import type { TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { CODES } from "./codes.ts";

const RESPONSE =
  "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse";

/** By which it is asked after. */
function nameOf({ id, model }: Task): string {
  return `models/${model}/operations/${id}`;
}

export function writeSubmitted(task: Task): JsonObject {
  return { name: nameOf(task) };
}

/** An operation that is not over says nothing but its name. */
export function writeOperation(task: Task, { videos, contentUrl }: TaskLinks): JsonObject {
  const name = nameOf(task);
  switch (task.status) {
    case "succeeded":
      return written(name, {
        generatedSamples: videos.map(({ mediaType }, index) => ({
          // Its clients show their key wherever they download from, so that it must be here.
          video: { uri: numbered(contentUrl, index), encoding: mediaType ?? "video/mp4" },
        })),
      });
    case "failed":
      return failed(name, task.failure);
    case "submitting":
    case "submit_unknown":
    case "queued":
    case "running":
      return { name };
  }
}

function written(name: string, generateVideoResponse: JsonObject): JsonObject {
  return { name, done: true, response: { "@type": RESPONSE, generateVideoResponse } };
}

function numbered(url: string, index: number): string {
  return index === 0 ? url : `${url}?index=${index}`;
}

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...[...CODES].map(([number, name]): [string, number] => [name, number]),
  ["task_cancelled", 1],
  ["task_expired", 4],
  ["task_timeout", 4],
]);
const INTERNAL = 13;

/** What was filtered out is no failure here: nothing is left, and why is said. */
function failed(name: string, failure: TaskFailure | undefined): JsonObject {
  const { code = "", message = "The task failed." } = failure ?? {};
  if (code === "content_filtered") {
    return written(name, { raiMediaFilteredCount: 1, raiMediaFilteredReasons: [message] });
  }
  return { name, done: true, error: { code: NUMBERS.get(code) ?? INTERNAL, message } };
}
