import type { Task } from "#core/task.ts";
import type { TaskFailure, TaskLinks } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { CODES } from "./codes.ts";
import { fileNameOf } from "./file-name.ts";

const RESPONSE =
  "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse";

/** The name by which clients poll it. */
function nameOf({ id, model }: Task): string {
  return `models/${model}/operations/${id}`;
}

export function writeSubmitted(task: Task): JsonObject {
  return { name: nameOf(task) };
}

export function writeOperation(task: Task, { videos, filesUrl }: TaskLinks): JsonObject {
  return writeState(nameOf(task), task, {
    made: () => ({
      "@type": RESPONSE,
      generateVideoResponse: {
        generatedSamples: videos.map(({ mediaType }, index) => ({
          // Clients send their key to every download address, so the link must lead to the gateway.
          video: {
            uri: `${filesUrl}/${fileNameOf(task.id, index)}:download?alt=media`,
            encoding: mediaType ?? "video/mp4",
          },
        })),
      },
    }),
    filtered: (reason) => ({
      "@type": RESPONSE,
      generateVideoResponse: {
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: [reason],
      },
    }),
  });
}

/** The format of an operation's result. */
export interface WrittenResponse {
  made(): JsonObject;
  filtered(reason: string): JsonObject;
}

/** An unfinished operation has only a name. */
export function writeState(name: string, task: Task, response: WrittenResponse): JsonObject {
  switch (task.status) {
    case "succeeded":
      return { name, done: true, response: response.made() };
    case "failed":
      return failed(name, task.failure, response);
    case "submitting":
    case "submit_unknown":
    case "queued":
    case "running":
      return { name };
  }
}

const NUMBERS: ReadonlyMap<string, number> = new Map([
  ...[...CODES].map(([number, name]): [string, number] => [name, number]),
  ["task_cancelled", 1],
  ["task_expired", 4],
  ["task_timeout", 4],
]);
const INTERNAL = 13;

/** A filtered video is no failure in this format: the result is empty, with a reason. */
function failed(
  name: string,
  failure: TaskFailure | undefined,
  { filtered }: WrittenResponse,
): JsonObject {
  const { code = "", message = "The task failed." } = failure ?? {};
  if (code === "content_filtered") return { name, done: true, response: filtered(message) };
  return { name, done: true, error: { code: NUMBERS.get(code) ?? INTERNAL, message } };
}
