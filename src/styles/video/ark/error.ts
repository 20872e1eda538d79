import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

/** An error in the API's format: plain text, without quotes around field names. */
export function buildError(error: GatewayError): JsonObject {
  const { param } = error;
  const { code, type } = WORDS[error.code];
  const message = error.message.replaceAll(/'([\w.[\]]{1,64})'/g, "$1").replace(/\.$/, "");
  return { error: { code, message, ...(param === undefined ? {} : { param }), type } };
}

interface Words {
  readonly code: string;
  readonly type: string;
}

const BAD = "BadRequest";
const TOO_MANY_REQUESTS = "TooManyRequests";
const SERVER = "InternalServerError";
const INVALID: Words = { type: BAD, code: "InvalidParameter" };
const GATEWAY_ERROR: Words = { type: SERVER, code: "InternalServiceError" };
const BUSY: Words = { type: TOO_MANY_REQUESTS, code: "ServerOverloaded" };

const WORDS: Readonly<Record<FaultCode, Words>> = {
  invalid_request: INVALID,
  not_carried: INVALID,
  context_length_exceeded: INVALID,
  content_filtered: { type: BAD, code: "InputTextSensitiveContentDetected" },
  upstream_rejected: INVALID,
  upstream_forbidden: { type: "Forbidden", code: "OperationDenied" },
  upstream_not_found: { type: "NotFound", code: "ResourceNotFound" },
  unauthenticated: { type: "Unauthorized", code: "AuthenticationError" },
  out_of_quota: { type: "Forbidden", code: "AccountOverdueError" },
  forbidden: { type: "Forbidden", code: "AccessDenied" },
  not_found: { type: "NotFound", code: "ResourceNotFound" },
  model_not_found: { type: "NotFound", code: "InvalidEndpointOrModel.NotFound" },
  method_not_allowed: { type: BAD, code: "MethodNotAllowed" },
  request_timeout: { type: BAD, code: "RequestTimeout" },
  still_running: { type: "Conflict", code: "RequestInProgress" },
  answer_not_kept: { type: "Conflict", code: "AnswerNotKept" },
  revision_outdated: { type: "Conflict", code: "RevisionOutdated" },
  plan_outdated: { type: "Conflict", code: "PlanOutdated" },
  content_gone: { type: "NotFound", code: "ResourceNotFound" },
  too_large: { type: BAD, code: "RequestEntityTooLarge" },
  range_not_satisfiable: INVALID,
  unsupported_media_type: { type: BAD, code: "UnsupportedMediaType" },
  key_reused: { type: BAD, code: "IdempotencyKeyReused" },
  upgrade_refused: { type: BAD, code: "UpgradeRefused" },
  rate_limited: { type: TOO_MANY_REQUESTS, code: "AccountRateLimitExceeded" },
  canceled: { type: BAD, code: "RequestCanceled" },
  internal: GATEWAY_ERROR,
  upstream_refused: { type: "Forbidden", code: "OperationDenied" },
  upstream_denied: GATEWAY_ERROR,
  upstream_auth: GATEWAY_ERROR,
  upstream_model_missing: { type: "NotFound", code: "ModelNotOpen" },
  upstream_rate_limited: { type: TOO_MANY_REQUESTS, code: "RequestBurstTooFast" },
  upstream_unreachable: GATEWAY_ERROR,
  upstream_failed: GATEWAY_ERROR,
  upstream_overloaded: BUSY,
  upstream_timeout: GATEWAY_ERROR,
  overloaded: BUSY,
  unavailable: GATEWAY_ERROR,
};
