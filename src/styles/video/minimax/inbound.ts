import { invalid, type GatewayError } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Task, TaskStatus } from "#core/task.ts";
import type { InboundVideoFormat, TaskFailure, TaskLinks, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { buildError as buildPlainError } from "#styles/text/messages/error.ts";
import { changedAt, unixSeconds } from "../made-facts.ts";
import { scenarioOf } from "../scenario.ts";
import { KNOWN, REQUEST } from "./fields.ts";
import { ID } from "./outbound.ts";
import { readContent } from "./read-content.ts";

export const inbound: InboundVideoFormat["inbound"] = {
  read,
  writeSubmitted: ({ id }) => ({ task_id: id }),
  writeTask,
  buildError,
  withRequestId: (answer, requestId) =>
    answer["type"] === "error" ? { ...answer, request_id: requestId } : answer,
};

function read(body: JsonObject): VideoRequest {
  // Refused with any value: the client would wait for a webhook that never comes.
  if (Object.hasOwn(body, "callback_url")) {
    throw invalid("callback_url", "'callback_url' must be omitted: poll the task instead.");
  }
  validate(body, REQUEST);
  const content = readContent(body["content"]);
  const extra = restOf(body, KNOWN);
  return {
    model: textOf(body["model"]) ?? "",
    scenario: scenarioOf(content.media),
    ...content,
    ...defined({
      seconds: integerOf(body["duration"]),
      resolution: textOf(body["resolution"])?.toLowerCase(),
      ratio: textOf(body["ratio"]),
      watermark: flagOf(body["aigc_watermark"]),
      extra: extra && { [ID]: extra },
    }),
  };
}

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "queued",
  submit_unknown: "queued",
  queued: "queued",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
};

function writeTask(task: Task, { videos: [video] }: TaskLinks): JsonObject {
  const { id, model, status, facts, failure, createdAt } = task;
  const isCancelled = failure?.code === "task_cancelled";
  return {
    task: {
      id,
      model,
      status: isCancelled ? "cancelled" : WORDS[status],
      created_at: unixSeconds(createdAt),
      updated_at: unixSeconds(changedAt(task)),
      task_type: "generation",
      modality: "video",
      ...defined({
        content: video && { url: video.url },
        resolution: facts.resolution?.toUpperCase(),
        duration: facts.seconds,
        ratio: facts.ratio,
        error: failure && { code: wordOf(failure), message: failure.message },
        usage: video && usageOf(task),
      }),
    },
  };
}

/** The vendor's code for a filtered video, which its clients check. */
const FILTERED = "1027";

function wordOf({ code }: TaskFailure): string {
  return code === "content_filtered" ? FILTERED : code;
}

function usageOf({ usage }: Task): JsonObject | undefined {
  const { durationMs, inputTokens, outputTokens, referenceImages, isEstimated } = usage;
  if (isEstimated) return undefined;
  const length = durationMs === undefined ? undefined : durationMs / 1_000;
  return {
    ...defined({ total_seconds: length, input_image_count: referenceImages }),
    total_tokens: inputTokens + outputTokens,
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
  };
}

/** As in the messages style, with the status as text. */
function buildError(error: GatewayError): JsonObject {
  const { error: plain, ...rest } = buildPlainError(error);
  return { ...rest, error: { ...objectOf(plain), http_code: String(error.fault.status) } };
}
