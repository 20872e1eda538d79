import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { messageOf, vendorCodeOf, type OverflowWords } from "#styles/told-failure.ts";

export function buildError(error: GatewayError): JsonObject {
  return errorWith(error, messageOf(error, OVERFLOW));
}

/** The same, where other words are known to its clients. */
export function errorWith(error: GatewayError, message: string): JsonObject {
  const { type, code } = WORDS[error.code];
  const told = vendorCodeOf(error) ?? code;
  return { error: { message, type, param: error.param ?? null, code: told } };
}

const OVERFLOW: OverflowWords = {
  known: "maximum context length",
  intro: "This model's maximum context length is exceeded",
};

/** No end mark follows: an answer that failed has not ended. */
export function encodeError(error: GatewayError): string {
  return formatSse(JSON.stringify(buildError(error)));
}

interface Words {
  readonly type: string;
  readonly code: string;
}

const BAD = "invalid_request_error";
const SERVER = "server_error";

/** Clients of this style decide by these two, and by the status. */
const WORDS: Readonly<Record<FaultCode, Words>> = {
  invalid_request: { type: BAD, code: "invalid_value" },
  not_carried: { type: BAD, code: "unsupported_parameter" },
  context_length_exceeded: { type: BAD, code: "context_length_exceeded" },
  content_filtered: { type: BAD, code: "content_policy_violation" },
  upstream_rejected: { type: BAD, code: "upstream_rejected" },
  upstream_forbidden: { type: BAD, code: "forbidden" },
  upstream_not_found: { type: BAD, code: "not_found" },
  unauthenticated: { type: BAD, code: "invalid_api_key" },
  out_of_quota: { type: "insufficient_quota", code: "insufficient_quota" },
  forbidden: { type: BAD, code: "forbidden" },
  not_found: { type: BAD, code: "not_found" },
  model_not_found: { type: BAD, code: "model_not_found" },
  method_not_allowed: { type: BAD, code: "method_not_supported" },
  request_timeout: { type: BAD, code: "request_timeout" },
  still_running: { type: BAD, code: "idempotency_key_in_use" },
  answer_not_kept: { type: BAD, code: "idempotency_answer_not_kept" },
  plan_outdated: { type: BAD, code: "plan_outdated" },
  content_gone: { type: BAD, code: "content_gone" },
  too_large: { type: BAD, code: "request_too_large" },
  range_not_satisfiable: { type: BAD, code: "range_not_satisfiable" },
  unsupported_media_type: { type: BAD, code: "unsupported_content_type" },
  key_reused: { type: BAD, code: "idempotency_key_reused" },
  upgrade_refused: { type: BAD, code: "upgrade_refused" },
  rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  canceled: { type: BAD, code: "canceled" },
  internal: { type: SERVER, code: "internal_error" },
  upstream_refused: { type: BAD, code: "forbidden" },
  upstream_denied: { type: SERVER, code: "upstream_unavailable" },
  upstream_auth: { type: SERVER, code: "upstream_unavailable" },
  upstream_model_missing: { type: SERVER, code: "upstream_unavailable" },
  upstream_rate_limited: { type: "rate_limit_error", code: "rate_limit_exceeded" },
  upstream_unreachable: { type: SERVER, code: "upstream_unreachable" },
  upstream_failed: { type: SERVER, code: "upstream_error" },
  upstream_overloaded: { type: SERVER, code: "overloaded" },
  upstream_timeout: { type: SERVER, code: "upstream_timeout" },
  overloaded: { type: SERVER, code: "overloaded" },
  unavailable: { type: SERVER, code: "unavailable" },
};
