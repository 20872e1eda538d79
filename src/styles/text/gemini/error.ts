import type { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";

/** Google's canonical names of the HTTP statuses. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  402: "RESOURCE_EXHAUSTED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export function buildError(error: GatewayError): JsonObject {
  const { status } = error.fault;
  const fallback = status >= 500 ? "INTERNAL" : "INVALID_ARGUMENT";
  return {
    error: { code: status, message: error.message, status: STATUS_NAMES[status] ?? fallback },
  };
}
