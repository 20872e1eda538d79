import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { messageOf, vendorCodeOf, type OverflowWords } from "#styles/told-failure.ts";

export function buildError(error: GatewayError): JsonObject {
  return errorWith(error, messageOf(error, OVERFLOW));
}

/** The same, where other words are known to its clients. */
export function errorWith(error: GatewayError, message: string): JsonObject {
  const code = vendorCodeOf(error) ?? CODES[error.code];
  return { error: { message, type: typeOf(error), param: error.param ?? null, code } };
}

const OVERFLOW: OverflowWords = {
  known: "maximum context length",
  intro: "This model's maximum context length is exceeded",
};

/** No end mark follows: an answer that failed has not ended. */
export function encodeError(error: GatewayError): string {
  return formatSse(JSON.stringify(buildError(error)));
}

/** Clients of this style decide by the type, the code and the status. */
function typeOf({ code, fault: { status } }: GatewayError): string {
  if (code === "out_of_quota") return "insufficient_quota";
  if (status === 429) return "rate_limit_error";
  return status < 500 ? "invalid_request_error" : "server_error";
}

const CODES: Readonly<Record<FaultCode, string>> = {
  invalid_request: "invalid_value",
  not_carried: "unsupported_parameter",
  context_length_exceeded: "context_length_exceeded",
  content_filtered: "content_policy_violation",
  upstream_rejected: "upstream_rejected",
  upstream_forbidden: "forbidden",
  upstream_not_found: "not_found",
  unauthenticated: "invalid_api_key",
  out_of_quota: "insufficient_quota",
  forbidden: "forbidden",
  not_found: "not_found",
  model_not_found: "model_not_found",
  method_not_allowed: "method_not_supported",
  request_timeout: "request_timeout",
  still_running: "idempotency_key_in_use",
  answer_not_kept: "idempotency_answer_not_kept",
  revision_outdated: "revision_outdated",
  plan_outdated: "plan_outdated",
  content_gone: "content_gone",
  too_large: "request_too_large",
  range_not_satisfiable: "range_not_satisfiable",
  unsupported_media_type: "unsupported_content_type",
  key_reused: "idempotency_key_reused",
  upgrade_refused: "upgrade_refused",
  rate_limited: "rate_limit_exceeded",
  canceled: "canceled",
  internal: "internal_error",
  upstream_refused: "forbidden",
  upstream_denied: "upstream_unavailable",
  upstream_auth: "upstream_unavailable",
  upstream_model_missing: "upstream_unavailable",
  upstream_rate_limited: "rate_limit_exceeded",
  upstream_unreachable: "upstream_unreachable",
  upstream_failed: "upstream_error",
  upstream_overloaded: "overloaded",
  upstream_timeout: "upstream_timeout",
  overloaded: "overloaded",
  unavailable: "unavailable",
};
