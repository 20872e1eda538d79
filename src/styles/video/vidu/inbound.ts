import type { FaultCode, GatewayError } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Address } from "#core/style.ts";
import type { InboundVideoFormat, VideoMedia, VideoRequest, VideoScenario } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, flagOf, integerOf, listOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { readCallbackUrl } from "../callback-url.ts";
import { readMedia } from "../read-media.ts";
import { ACTIONS, KNOWN, REQUEST } from "./fields.ts";
import { ID } from "./outbound.ts";
import { readScenario } from "./read-scenario.ts";
import { writeSubmitted, writeTask } from "./write-task.ts";

export const inbound: InboundVideoFormat["inbound"] = {
  read,
  writeSubmitted,
  writeTask,
  buildError: (error) => ({
    code: error.fault.status,
    reason: reasonOf(error),
    message: error.message,
    metadata: defined({ field: error.param }),
  }),
  withRequestId: (answer, requestId) =>
    "reason" in answer
      ? { ...answer, metadata: { ...objectOf(answer["metadata"]), trace_id: requestId } }
      : answer,
};

function read(body: JsonObject, { scenario: path }: Address): VideoRequest {
  validate(body, REQUEST);
  const images = listOf(body["images"]).map((each) => textOf(each) ?? "");
  const metadata = objectOf(body["metadata"]) ?? {};
  const said = ACTIONS.find((each) => each === metadata["action"]);
  const { scenario, isChanged } = readScenario(said, path, images.length);
  const own = restOf(body, KNOWN);
  const beside = restOf(metadata, new Set(["action"]));
  return {
    model: textOf(body["model"]) ?? "",
    scenario,
    media: images.map((each, index) => picture(each, index, scenario)),
    ...(isChanged ? { changed: ["scenario"] } : {}),
    ...defined({
      prompt: textOf(body["prompt"]),
      seconds: integerOf(body["duration"]),
      seed: integerOf(body["seed"]) || undefined,
      ratio: textOf(body["aspect_ratio"]) || undefined,
      resolution: textOf(body["resolution"])?.toLowerCase(),
      movement: textOf(body["movement_amplitude"]),
      music: flagOf(body["bgm"]),
      audio: flagOf(body["audio"]),
      watermark: flagOf(body["watermark"]),
      payload: textOf(body["payload"]),
      callbackUrl: readCallbackUrl(body["callback_url"], "callback_url"),
      // No vendor supports the latter: it is reported as lost.
      extra: (own ?? beside) && defined({ [ID]: own, metadata: beside }),
    }),
  };
}

function picture(text: string, index: number, scenario: VideoScenario): VideoMedia {
  const frame = index === 0 ? "first_frame" : "last_frame";
  return {
    type: "image",
    role: scenario === "reference" ? "reference" : frame,
    source: readMedia(text, "image", `images[${index}]`),
  };
}

const REASONS: Partial<Record<FaultCode, string>> = {
  not_carried: "FieldUnwanted",
  content_filtered: "AuditSubmitIllegal",
  unauthenticated: "Unauthorized",
  out_of_quota: "CreditInsufficient",
  forbidden: "Forbidden",
  not_found: "TaskNotFound",
  model_not_found: "ModelUnavailable",
  still_running: "Conflict",
  answer_not_kept: "Conflict",
  rate_limited: "TooManyRequests",
  upstream_rate_limited: "TooManyRequests",
  overloaded: "SystemThrottling",
  unavailable: "SystemThrottling",
  upstream_overloaded: "SystemThrottling",
  canceled: "Canceled",
};

function reasonOf({ code, param, fault: { blame } }: GatewayError): string {
  if (code === "invalid_request" && param !== undefined) return "FieldInvalid";
  return REASONS[code] ?? (blame === "client" ? "BadRequest" : "InternalServiceFailure");
}
