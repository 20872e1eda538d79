import type { Json, JsonObject } from "../json.ts";
import type { VendorError } from "../vendor.ts";

/** An answer other than the wanted one, as the vendor words it: a code, its name, and details of known types. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly body: JsonObject;

  constructor(status: number, message: string, details: readonly JsonObject[] = []) {
    super(message);
    this.status = status;
    this.body = errorBody(status, message, statusName(status), details);
  }
}

export function invalid(message: string, details: readonly JsonObject[] = []): ApiError {
  return new ApiError(400, message, details);
}

/** Rules that a request breaks, all at once, each with the place: `* GenerateContentRequest.contents: …`. */
export function brokenRules(root: string, rules: readonly BrokenRule[]): ApiError {
  return invalid(rules.map(({ path, reason }) => `* ${root}.${path}: ${reason}\n`).join(""));
}

export interface BrokenRule {
  /** From the request down, in snake case: `contents[0].parts`. */
  readonly path: string;
  readonly reason: string;
}

/** A detail of an error; its type is one of google.rpc. */
export function detail(type: string, fields: JsonObject): JsonObject {
  return { "@type": `type.googleapis.com/google.rpc.${type}`, ...fields };
}

/** The body for an error that was ordered as a fault: its `code` is the name of the status, where it is not the usual one. */
export function orderedError(error: VendorError): JsonObject {
  const { status, code, message, retryAfterSeconds } = error;
  const wait =
    retryAfterSeconds === undefined
      ? []
      : [detail("RetryInfo", { retryDelay: `${retryAfterSeconds}s` })];
  const details = status === 429 ? [QUOTA_FAILURE, ...wait] : wait;
  return errorBody(
    status,
    message ?? USUAL_MESSAGES[status] ?? "The request failed.",
    code ?? statusName(status),
    details,
  );
}

function errorBody(
  code: number,
  message: string,
  status: string,
  details: readonly Json[],
): JsonObject {
  return { error: { code, message, status, ...(details.length === 0 ? {} : { details }) } };
}

function statusName(status: number): string {
  return STATUS_NAMES[status] ?? (status < 500 ? "INVALID_ARGUMENT" : "INTERNAL");
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ABORTED",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const USUAL_MESSAGES: Readonly<Record<number, string>> = {
  400: "Request contains an invalid argument.",
  401: "Request had invalid authentication credentials.",
  403: "The caller does not have permission",
  404: "Requested entity was not found.",
  429: "You exceeded your current quota, please check your plan and billing details.",
  500: "An internal error has occurred.",
  503: "The model is overloaded. Please try again later.",
  504: "The request timed out. Please try again.",
};

const QUOTA_FAILURE = detail("QuotaFailure", {
  violations: [
    {
      quotaMetric: "generativelanguage.googleapis.com/generate_requests",
      quotaId: "GenerateRequestsPerMinutePerProjectPerModel",
    },
  ],
});
