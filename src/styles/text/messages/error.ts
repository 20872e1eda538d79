import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { messageOf, vendorCodeOf, type OverflowWords } from "#styles/told-failure.ts";

export function buildError(error: GatewayError): JsonObject {
  return errorOf(TYPES[error.code], error);
}

/** Token counting calls a key that is not known a mistake in the request. */
export function buildCountError(error: GatewayError): JsonObject {
  return errorOf(error.code === "unauthenticated" ? BAD : TYPES[error.code], error);
}

/** No end follows: an answer that failed has not ended. */
export function encodeError(error: GatewayError): string {
  return formatSse(JSON.stringify(buildError(error)), "error");
}

function errorOf(type: string, error: GatewayError): JsonObject {
  const code = vendorCodeOf(error);
  const details = error.details ?? (code === undefined ? undefined : { error_code: code });
  const message = messageOf(error, OVERFLOW);
  return {
    type: "error",
    error: { type, message, ...(details === undefined ? {} : { details }) },
  };
}

const OVERFLOW: OverflowWords = { known: "prompt is too long", intro: "prompt is too long" };

const BAD = "invalid_request_error";
const SERVER = "api_error";
const BUSY = "overloaded_error";

/** Clients of this style decide by the type, and by the status. */
const TYPES: Readonly<Record<FaultCode, string>> = {
  invalid_request: BAD,
  not_carried: BAD,
  context_length_exceeded: BAD,
  content_filtered: BAD,
  upstream_rejected: BAD,
  upstream_forbidden: "permission_error",
  upstream_not_found: "not_found_error",
  unauthenticated: "authentication_error",
  out_of_quota: "billing_error",
  forbidden: "permission_error",
  not_found: "not_found_error",
  model_not_found: "not_found_error",
  method_not_allowed: BAD,
  request_timeout: BAD,
  still_running: BAD,
  answer_not_kept: BAD,
  revision_outdated: BAD,
  plan_outdated: BAD,
  range_not_satisfiable: "invalid_request_error",
  content_gone: "not_found_error",
  too_large: "request_too_large",
  unsupported_media_type: BAD,
  key_reused: BAD,
  upgrade_refused: BAD,
  rate_limited: "rate_limit_error",
  canceled: BAD,
  internal: SERVER,
  upstream_refused: "permission_error",
  upstream_denied: SERVER,
  upstream_auth: SERVER,
  upstream_model_missing: SERVER,
  upstream_rate_limited: "rate_limit_error",
  upstream_unreachable: SERVER,
  upstream_failed: SERVER,
  upstream_overloaded: BUSY,
  upstream_timeout: "timeout_error",
  overloaded: BUSY,
  unavailable: SERVER,
};
