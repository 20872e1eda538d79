import { stateOf, type TaskState } from "@sluice/sandbox/engine/tasks.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { baseResp, lateFailure, SUCCESS } from "../error.ts";
import { filmOf, publishFilm, type MinimaxTask, type Results } from "../order.ts";

/** A task as the older version tells of it: the video is a file, and asked for by its own id. */
export function v1Body(task: MinimaxTask, at: number): JsonObject {
  const state = stateOf(task, at);
  const status = wordFor(task, state, at);
  const isDone = status === "Success";
  const { width, height } = task.requested;
  return {
    task_id: task.id,
    status,
    file_id: isDone ? fileIdOf(task) : "",
    video_width: isDone ? width : 0,
    video_height: isDone ? height : 0,
    ...outcomeOf(task, state),
  };
}

/** The same as it is sent to who listens, in small letters. */
export function callbackBody(task: MinimaxTask, at: number): JsonObject {
  const state = stateOf(task, at);
  const isDone = state.phase === "succeeded";
  const status = state.phase === "running" ? "processing" : isDone ? "success" : "failed";
  return {
    task_id: task.id,
    status,
    ...(isDone ? { file_id: fileIdOf(task) } : {}),
    ...outcomeOf(task, state),
  };
}

function outcomeOf({ marks }: MinimaxTask, { phase }: TaskState): JsonObject {
  if (phase !== "failed") return SUCCESS;
  const { code, message } = lateFailure(marks);
  return baseResp(code, message);
}

function wordFor({ createdAt, runsAt }: MinimaxTask, { phase }: TaskState, at: number): string {
  switch (phase) {
    case "queued":
      return at - createdAt < (runsAt - createdAt) / 2 ? "Preparing" : "Queueing";
    case "running":
      return "Processing";
    case "succeeded":
      return "Success";
    case "failed":
    case "expired":
    case "cancelled":
      return "Fail";
  }
}

/** The number of a task, and then one more. */
function fileIdOf({ id }: Pick<MinimaxTask, "id">): string {
  return String(Number(id) + 1);
}

export function taskIdOf(fileId: string): string {
  return String(Number(fileId) - 1);
}

/** Facts about a file, and its location. */
export async function fileBody(
  task: MinimaxTask,
  at: number,
  results: Results,
): Promise<JsonObject> {
  return {
    file: {
      file_id: Number(fileIdOf(task)),
      bytes: (await filmOf(task)).length,
      created_at: Math.floor(task.endsAt / 1_000),
      filename: "output.mp4",
      purpose: "video_generation",
      download_url: publishFilm(task, at, results),
    },
    ...SUCCESS,
  };
}
