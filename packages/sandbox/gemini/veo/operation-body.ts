import { stateOf, type Task, type TaskState } from "@sluice/sandbox/engine/tasks.ts";
import { makeVideo } from "@sluice/sandbox/engine/video.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { VeoOrder } from "./request.ts";
import { BROKEN, EXPIRED, failureIn } from "./rpc.ts";

/** The order, and the name that polls it. */
export interface PlacedVeo extends VeoOrder {
  readonly operation: string;
}

export type VeoTask = Task<PlacedVeo>;

/** An operation at some time: nothing is said of whether it is done as long as it is not. */
export async function operationBody(task: VeoTask, at: number): Promise<JsonObject> {
  const state = stateOf(task, at);
  const name = task.requested.operation;
  if (state.phase === "queued" || state.phase === "running") return { name };
  const isFiltered = task.marks.has("moderate");
  if (state.phase !== "succeeded" && !isFiltered)
    return { name, done: true, error: failureOf(task, state) };
  const response = task.requested.place === "gemini" ? fileResponse(task) : await ownResponse(task);
  return { name, done: true, response };
}

function failureOf({ marks }: VeoTask, { phase }: TaskState): JsonObject {
  const usual = phase === "expired" ? EXPIRED : BROKEN;
  const { code, name } = failureIn(marks) ?? usual;
  return { code, message: "The video could not be generated. Please try again.", status: name };
}

/** How many of the videos may not be shown: `[rai]` are all of them, `[rai1]` is one. */
function filteredOf({ marks, requested }: VeoTask): number {
  if (marks.has("rai") || marks.has("moderate")) return requested.count;
  return marks.has("rai1") ? 1 : 0;
}

/** How many there are to have in the end. */
export function shownOf(task: VeoTask): number {
  return task.requested.count - filteredOf(task);
}

function filterOf(task: VeoTask): JsonObject {
  const count = filteredOf(task);
  if (count === 0) return {};
  const reason = "The video was filtered out because it may violate the usage guidelines.";
  return { raiMediaFilteredCount: count, raiMediaFilteredReasons: Array(count).fill(reason) };
}

/** Files that wait to be downloaded with the key. */
function fileResponse(task: VeoTask): JsonObject {
  const samples = Array.from({ length: shownOf(task) }, (_, index) => ({
    video: { uri: `${task.origin}/gemini/v1beta/files/${task.id}${index}:download?alt=media` },
  }));
  return {
    "@type": "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
    generateVideoResponse: {
      ...(samples.length === 0 ? {} : { generatedSamples: samples }),
      ...filterOf(task),
    },
  };
}

/** The videos themselves, or where they were put. */
async function ownResponse(task: VeoTask): Promise<JsonObject> {
  const { bucket } = task.requested;
  const videos: JsonObject[] = [];
  for (let index = 0; index < shownOf(task); index++) {
    const place =
      bucket === undefined
        ? { bytesBase64Encoded: Buffer.from(await filmOf(task, index)).toString("base64") }
        : { gcsUri: `${bucket.replace(/\/$/, "")}/${task.id}/sample_${index}.mp4` };
    videos.push({ ...place, mimeType: "video/mp4" });
  }
  return {
    "@type": "type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse",
    ...(videos.length === 0 ? {} : { videos }),
    ...filterOf(task),
  };
}

export async function filmOf({ requested }: VeoTask, index: number): Promise<Uint8Array> {
  const { width, height, seconds, hasSound, count } = requested;
  const words = withoutMagicWords(requested.prompt);
  const prompt = count === 1 ? words : `${index + 1} of ${count}: ${words}`;
  return makeVideo({ width, height, seconds, framesPerSecond: 24, prompt, hasSound });
}
