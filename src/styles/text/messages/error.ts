import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

/** Error types of the messages style; what is not named is `api_error`. */
const TYPES: Partial<Record<FaultCode, string>> = {
  invalid_request: "invalid_request_error",
  not_carried: "invalid_request_error",
  context_length_exceeded: "invalid_request_error",
  content_filtered: "invalid_request_error",
  upstream_rejected: "invalid_request_error",
  unsupported_media_type: "invalid_request_error",
  method_not_allowed: "invalid_request_error",
  unauthenticated: "authentication_error",
  out_of_quota: "billing_error",
  forbidden: "permission_error",
  not_found: "not_found_error",
  model_not_found: "not_found_error",
  too_large: "request_too_large",
  rate_limited: "rate_limit_error",
  upstream_rate_limited: "rate_limit_error",
  overloaded: "overloaded_error",
  upstream_overloaded: "overloaded_error",
  upstream_timeout: "timeout_error",
};

export function buildError(error: GatewayError): JsonObject {
  return {
    type: "error",
    error: { type: TYPES[error.code] ?? "api_error", message: error.message },
  };
}
