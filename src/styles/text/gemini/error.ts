import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { messageOf, vendorCodeOf, type OverflowWords } from "#styles/told-failure.ts";

/**
 * The style's error: HTTP status, words, and the status's name by which clients
 * decide. The field at fault and the time to wait have no member of their own,
 * so they stand among the details, where clients look for them.
 */
export function buildError(error: GatewayError): JsonObject {
  const details = detailsOf(error);
  return {
    error: {
      code: error.fault.status,
      message: messageOf(error, OVERFLOW),
      status: STATUS_NAMES[error.code],
      ...(details.length === 0 ? {} : { details }),
    },
  };
}

/** A chunk that holds nothing else: clients throw at its sight, and no end follows. */
export function encodeError(error: GatewayError): string {
  return formatSse(JSON.stringify(buildError(error)));
}

const OVERFLOW: OverflowWords = {
  known: "input token count",
  intro: "The input token count exceeds the maximum number of tokens allowed",
};

function detailsOf(error: GatewayError): readonly JsonObject[] {
  const { param, message, retryAfterMs } = error;
  const reason = vendorCodeOf(error);
  const details: JsonObject[] = [];
  if (reason !== undefined && reason !== STATUS_NAMES[error.code]) {
    details.push({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason });
  }
  if (param !== undefined) {
    const fieldViolations = [{ field: param, description: message }];
    details.push({ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations });
  }
  if (retryAfterMs !== undefined) {
    const retryDelay = `${Math.ceil(retryAfterMs) / 1_000}s`;
    details.push({ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay });
  }
  return details;
}

/** The canonical names that go with the HTTP statuses of the table. */
const STATUS_NAMES: Readonly<Record<FaultCode, string>> = {
  invalid_request: "INVALID_ARGUMENT",
  not_carried: "INVALID_ARGUMENT",
  context_length_exceeded: "INVALID_ARGUMENT",
  content_filtered: "INVALID_ARGUMENT",
  upstream_rejected: "INVALID_ARGUMENT",
  upstream_forbidden: "PERMISSION_DENIED",
  upstream_not_found: "NOT_FOUND",
  unauthenticated: "UNAUTHENTICATED",
  out_of_quota: "RESOURCE_EXHAUSTED",
  forbidden: "PERMISSION_DENIED",
  not_found: "NOT_FOUND",
  model_not_found: "NOT_FOUND",
  method_not_allowed: "INVALID_ARGUMENT",
  request_timeout: "DEADLINE_EXCEEDED",
  still_running: "ABORTED",
  answer_not_kept: "ALREADY_EXISTS",
  revision_outdated: "ABORTED",
  plan_outdated: "ABORTED",
  range_not_satisfiable: "OUT_OF_RANGE",
  content_gone: "NOT_FOUND",
  too_large: "INVALID_ARGUMENT",
  unsupported_media_type: "INVALID_ARGUMENT",
  key_reused: "INVALID_ARGUMENT",
  upgrade_refused: "FAILED_PRECONDITION",
  rate_limited: "RESOURCE_EXHAUSTED",
  canceled: "CANCELLED",
  internal: "INTERNAL",
  upstream_refused: "PERMISSION_DENIED",
  upstream_denied: "INTERNAL",
  upstream_auth: "INTERNAL",
  upstream_model_missing: "INTERNAL",
  upstream_rate_limited: "RESOURCE_EXHAUSTED",
  upstream_unreachable: "INTERNAL",
  upstream_failed: "INTERNAL",
  upstream_overloaded: "UNAVAILABLE",
  upstream_timeout: "DEADLINE_EXCEEDED",
  overloaded: "UNAVAILABLE",
  unavailable: "UNAVAILABLE",
};
