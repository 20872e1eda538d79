import { stateOf, type TaskState } from "@sluice/sandbox/engine/tasks.ts";
import { countTokens } from "@sluice/sandbox/engine/tokens.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { lateFailure } from "../error.ts";
import { publishFilm, type MinimaxOrder, type MinimaxTask, type Results } from "../order.ts";

/** A task as the newer version tells of it, at some time. */
export function v2Body(task: MinimaxTask, at: number, results: Results): JsonObject {
  const state = stateOf(task, at);
  const status = statusOf(task, state);
  const { requested } = task;
  return {
    task: {
      id: task.id,
      model: requested.model,
      status,
      created_at: Math.floor(task.createdAt / 1_000),
      updated_at: Math.floor(state.since / 1_000),
      ...(status === "succeeded"
        ? { content: { url: publishFilm(task, task.endsAt, results) } }
        : {}),
      ...(status === "failed" ? { error: failureOf(task) } : {}),
      resolution: requested.resolution,
      duration: requested.seconds,
      ratio: requested.ratio,
      task_type: "generation",
      modality: "video",
      usage: status === "succeeded" ? usageOf(requested) : {},
    },
  };
}

function statusOf({ marks }: MinimaxTask, { phase }: TaskState): string {
  return phase === "failed" && marks.has("cancel") ? "cancelled" : phase;
}

function failureOf({ marks }: MinimaxTask): JsonObject {
  const { code, message } = lateFailure(marks);
  return { code: String(code), message };
}

function usageOf({ seconds, videos, images, audios, prompt, resolution }: MinimaxOrder) {
  const given = videos * USUAL_INPUT_SECONDS;
  const completion = seconds * TOKENS_A_SECOND[resolution === "2K" ? "2K" : "768P"];
  const asked = countTokens(prompt) + images * TOKENS_AN_IMAGE;
  return {
    total_seconds: given + seconds,
    input_seconds: given,
    output_seconds: seconds,
    input_image_count: images,
    input_audio_seconds: audios * USUAL_INPUT_SECONDS,
    total_tokens: asked + completion,
    prompt_tokens: asked,
    completion_tokens: completion,
  };
}

/** No link is followed, so how long what is behind them is, is not known. */
const USUAL_INPUT_SECONDS = 5;
const TOKENS_AN_IMAGE = 13_000;
const TOKENS_A_SECOND = { "768P": 14_814, "2K": 52_078 } as const;
