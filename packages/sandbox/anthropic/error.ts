import type { JsonObject } from "../json.ts";
import type { VendorError } from "../vendor.ts";

/** An answer other than the wanted one, as the vendor words it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }

  /** The id is the same as in the header `request-id`. */
  body(requestId: string): JsonObject {
    return errorBody(this.type, this.message, requestId);
  }
}

/** A request that is wrong, at a place such as `messages.0.content`, or as a whole. */
export function invalid(path: string, problem: string): ApiError {
  return new ApiError(400, "invalid_request_error", path === "" ? problem : `${path}: ${problem}`);
}

export function notFound(message: string): ApiError {
  return new ApiError(404, "not_found_error", message);
}

/** The body for an error that was ordered as a fault: its `code` takes the place of the usual type. */
export function orderedError(
  { status, code, message }: VendorError,
  requestId: string,
): JsonObject {
  const usual = USUAL[status] ?? (status < 500 ? USUAL_CLIENT_ERROR : USUAL_SERVER_ERROR);
  return errorBody(code ?? usual.type, message ?? usual.message, requestId);
}

function errorBody(type: string, message: string, requestId: string): JsonObject {
  return { type: "error", error: { type, message }, request_id: requestId };
}

interface Usual {
  readonly type: string;
  readonly message: string;
}

const USUAL_CLIENT_ERROR: Usual = {
  type: "invalid_request_error",
  message: "The request was rejected.",
};
const USUAL_SERVER_ERROR: Usual = { type: "api_error", message: "Internal server error" };

const USUAL: Readonly<Record<number, Usual>> = {
  401: { type: "authentication_error", message: "invalid x-api-key" },
  402: { type: "billing_error", message: "Your credit balance is too low to use the API." },
  403: { type: "permission_error", message: "Request not allowed" },
  404: { type: "not_found_error", message: "Not Found" },
  409: { type: "conflict_error", message: "The resource was changed meanwhile." },
  413: { type: "request_too_large", message: "Request exceeds the maximum size" },
  429: {
    type: "rate_limit_error",
    message: "This request would exceed the rate limit for your organization.",
  },
  504: { type: "timeout_error", message: "The request took too long." },
  529: { type: "overloaded_error", message: "Overloaded" },
};
