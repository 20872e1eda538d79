import type { JsonObject } from "../json.ts";
import { ApiError, type ErrorDetail } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

/** A refusal by the vendor's own word for it. */
export function refused(reason: string, message?: string, status?: number): ApiError {
  const usual = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  return new ApiError(status ?? usual?.status ?? 400, {
    message: message ?? usual?.message ?? "the request was refused",
    code: reason,
  });
}

export function invalidField(name: string): ApiError {
  return refused("FieldInvalid", `invalid field: ${name}`);
}

export function lackingField(name: string): ApiError {
  return refused("FieldLacking", `lacking field: ${name}`);
}

/** The checks of fields, which all vendors share, have other words. */
export function refusalBody({ status, detail }: ApiError, traceId: string): JsonObject {
  const { reason, message } = ownWords(detail);
  return body(status, reason, message, traceId);
}

function ownWords({ code, message, param }: ErrorDetail) {
  if (typeof code === "string" && Object.hasOwn(REASONS, code)) return { reason: code, message };
  const name = param ?? "";
  if (code === "missing_required_parameter")
    return { reason: "FieldLacking", message: `lacking field: ${name}` };
  if (code?.startsWith("empty_array") || code?.startsWith("array_above"))
    return {
      reason: "FieldItemCountOutOfRange",
      message: `field item count out of range: ${name}`,
    };
  return { reason: "FieldInvalid", message: `invalid field: ${name}` };
}

/** An error that was ordered as a fault. */
export function failureBody({ status, code, message }: VendorError, traceId: string): JsonObject {
  const usual = Object.entries(REASONS).find(([, each]) => each.status === status)?.[0];
  const reason = code ?? usual ?? (status < 500 ? "BadRequest" : "InternalServiceFailure");
  return body(status, reason, message ?? REASONS[reason]?.message ?? "the request failed", traceId);
}

function body(code: number, reason: string, message: string, traceId: string): JsonObject {
  return { code, reason, message, metadata: { trace_id: traceId } };
}

/** A word in brackets has the request refused with it, or the task fail with it. */
export function markedReason(marks: ReadonlySet<string>): string | undefined {
  return [...marks].find((mark) => Object.hasOwn(REASONS, mark) && !isLate(mark));
}

function isLate(reason: string): boolean {
  return LATE_REASONS.some((each) => each === reason);
}

/** Failures that appear only after the task has run. */
export const LATE_REASONS = [
  "CreationPolicyViolation",
  "AuditSubmitIllegal",
  "ModelUnavailable",
  "ImageDownloadFailure",
  "InternalServiceFailure",
] as const;

function reason(message: string, status = 400) {
  return { status, message };
}

/** The first one of a status is its usual one. */
const REASONS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  BadRequest: reason("bad request"),
  FieldLacking: reason("field lacking"),
  FieldUnwanted: reason("field unwanted"),
  FieldInvalid: reason("invalid field"),
  FieldItemCountOutOfRange: reason("field item count out of range"),
  PageSizeOutOfRange: reason("image size out of range"),
  ImageDownloadFailure: reason("image download failed"),
  ImageFormatInvalid: reason("image format invalid"),
  ImageCheckBodyJointsFailed: reason("image check body joints failed"),
  ImageCheckFaceFailed: reason("image check face failed"),
  ImageObjectsUndetected: reason("image objects undetected"),
  AuditSubmitIllegal: reason("the content did not pass the audit"),
  TaskPromptPolicyViolation: reason("the prompt violates the policy"),
  CreationPolicyViolation: reason("the creation violates the policy"),
  ModelUnavailable: reason("the model is unavailable"),
  CreditInsufficient: reason("insufficient credits"),
  OperationInProcess: reason("operation in process"),
  Unauthorized: reason("invalid api key", 401),
  Forbidden: reason("forbidden", 403),
  NotFound: reason("not found", 404),
  TaskNotFound: reason("task not found", 404),
  CreationNotFound: reason("creation not found", 404),
  Conflict: reason("conflict", 409),
  TooManyRequests: reason("too many requests", 429),
  QuotaExceeded: reason("concurrent task quota exceeded", 429),
  SystemThrottling: reason("system throttling", 429),
  Canceled: reason("canceled", 499),
  InternalServiceFailure: reason("internal service failure", 500),
};
