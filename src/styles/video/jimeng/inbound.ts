import type { FaultCode, GatewayError } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Task, TaskStatus } from "#core/task.ts";
import type { InboundVideoFormat, TaskLinks, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, restOf, textOf } from "#lib/values.ts";
import { readCallbackUrl } from "../callback-url.ts";
import { byCount, readMedia } from "../read-media.ts";
import { scenarioOf } from "../scenario.ts";
import { SUCCESS } from "./failure.ts";
import { KNOWN, REQUEST } from "./fields.ts";
import { ID } from "./outbound.ts";

export const inbound: InboundVideoFormat["inbound"] = {
  read,
  writeSubmitted: ({ id }) => enveloped({ task_id: id }),
  writeTask,
  buildError: (error) => ({ code: codeOf(error), message: error.message, data: null }),
  withRequestId: (answer, requestId) => ({ ...answer, request_id: requestId }),
};

function read(body: JsonObject): VideoRequest {
  validate(body, REQUEST);
  const media = byCount(picturesIn(body).map(([param, each]) => readMedia(each, "image", param)));
  const seed = integerOf(body["seed"]);
  const extra = restOf(body, KNOWN);
  return {
    model: textOf(body["req_key"]) ?? "",
    scenario: scenarioOf(media),
    media,
    ...defined({
      prompt: textOf(body["prompt"]),
      seed: seed === -1 ? undefined : seed,
      ratio: textOf(body["aspect_ratio"]) || undefined,
      frames: integerOf(body["frames"]),
      callbackUrl: readCallbackUrl(body["callback_url"], "callback_url"),
      extra: extra && { [ID]: extra },
    }),
  };
}

function picturesIn(body: JsonObject): readonly (readonly [param: string, text: string])[] {
  const alone = textOf(body["image"]) ?? "";
  return [
    ...(alone === "" ? [] : [["image", alone] as const]),
    ...["image_urls", "binary_data_base64"].flatMap((param) =>
      listOf(body[param]).map((each) => [param, textOf(each) ?? ""] as const),
    ),
  ];
}

const WORDS: Readonly<Record<TaskStatus, string>> = {
  submitting: "PENDING",
  submit_unknown: "PENDING",
  queued: "PENDING",
  running: "RUNNING",
  succeeded: "SUCCESS",
  failed: "FAILED",
};

/** A failed task gets a success response: the poll itself did not fail. */
function writeTask({ id, status, failure }: Task, { videos: [video] }: TaskLinks): JsonObject {
  const data = { task_id: id, status: WORDS[status], ...defined({ video_url: video?.url }) };
  return enveloped(data, failure?.message);
}

function enveloped(data: JsonObject, message = "Success"): JsonObject {
  return { code: SUCCESS, message, data };
}

const INVALID = 50_215;
const BUSY = 50_429;
const BROKEN = 50_500;
const BROKEN_BEHIND = 50_501;
const DENIED = 50_400;
const FILTERED = 50_412;
const NO_MODEL = 30_404;

const CODES: Partial<Record<FaultCode, number>> = {
  content_filtered: FILTERED,
  unauthenticated: DENIED,
  out_of_quota: DENIED,
  forbidden: DENIED,
  model_not_found: NO_MODEL,
  rate_limited: BUSY,
  upstream_rate_limited: BUSY,
};

/** The vendor's codes, by which clients decide on retries. */
function codeOf({ code, fault: { blame } }: GatewayError): number {
  const fallback = {
    client: INVALID,
    gateway: BROKEN,
    operator: BROKEN_BEHIND,
    upstream: BROKEN_BEHIND,
  };
  return CODES[code] ?? fallback[blame];
}
