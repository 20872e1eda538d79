import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { VendorError } from "../vendor.ts";

/** Prefix of the paths of the vendor's own protocol, beside the compatible one. */
export const NATIVE = "/api/v1/";

/** A refusal in that protocol: other codes, and in another shape. */
export class NativeError extends Error {
  override readonly name = "NativeError";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  body(requestId: string): JsonObject {
    return { code: this.code, message: this.message, request_id: requestId };
  }
}

/** By one of the vendor's own codes, in its usual words. */
export function failureAs(code: NativeCode): NativeError {
  const { status, message } = CODES[code];
  return new NativeError(status, code, message);
}

/** A code in brackets has the order refused with it. */
export function markedRefusal(marks: ReadonlySet<string>): NativeError | undefined {
  const code = [...marks].find((mark) => isCode(mark));
  const isEarly = code !== undefined && !LATE_CODES.some((late) => late === code);
  return isEarly && isCode(code) ? failureAs(code) : undefined;
}

/** Failures that appear only after the task has run; the last one is not reported. */
export const LATE_CODES = ["DataInspectionFailed", "InternalError.Algo", "silentfail"] as const;

const CODES = {
  DataInspectionFailed: {
    status: 400,
    message: "Input or output data may contain inappropriate content.",
  },
  Arrearage: {
    status: 400,
    message: "Access denied, please make sure your account is in good standing.",
  },
  InvalidURL: { status: 400, message: "Required URL is missing or invalid." },
  UnsupportedOperation: {
    status: 400,
    message: "Failed to cancel the task, please confirm if the task is in PENDING status.",
  },
  InvalidApiKey: { status: 401, message: "Invalid API-key provided." },
  AccessDenied: { status: 403, message: "Access denied." },
  "Model.AccessDenied": { status: 403, message: "Model access denied." },
  "AccessDenied.Unpurchased": { status: 403, message: "Access to model denied." },
  ModelNotFound: { status: 404, message: "Model not exist." },
  Throttling: { status: 429, message: "Requests throttling triggered." },
  "Throttling.RateQuota": {
    status: 429,
    message: "Requests rate limit exceeded, please try again later.",
  },
  "Throttling.AllocationQuota": {
    status: 429,
    message: "Allocated quota exceeded, please increase your quota limit.",
  },
  InternalError: { status: 500, message: "An internal error has occurred, please try again." },
  "InternalError.Algo": {
    status: 500,
    message: "An internal error has occurred in the algorithm.",
  },
  silentfail: { status: 500, message: "" },
  ModelServiceFailed: { status: 500, message: "Failed to request model service." },
  RequestTimeOut: { status: 504, message: "Request timed out, please try again later." },
} as const;

type NativeCode = keyof typeof CODES;

function isCode(text: string): text is NativeCode {
  return Object.hasOwn(CODES, text);
}

export function invalidParameter(message: string): NativeError {
  return new NativeError(400, "InvalidParameter", message);
}

export function modelNotFound(): NativeError {
  return failureAs("ModelNotFound");
}

export function inspectionFailed(): NativeError {
  return failureAs("DataInspectionFailed");
}

/** The model is there, and lives at another address. */
export function wrongAddress(): NativeError {
  return invalidParameter("url error, please check url！");
}

/** Gives the key back. */
export function checkKey(
  headers: Readonly<Record<string, string>>,
  apiKeys: readonly string[] | undefined,
): string {
  const key = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
  if (key === undefined) throw new NativeError(401, "InvalidApiKey", "No API-key provided.");
  if (apiKeys === undefined || apiKeys.includes(key)) return key;
  throw new NativeError(401, "InvalidApiKey", "Invalid API-key provided.");
}

export function memberOf(value: Json | undefined, name: string): Json | undefined {
  const member = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return member === null ? undefined : member;
}

/** An error that was ordered as a fault. */
export function nativeFailure(
  { status, code, message }: VendorError,
  requestId: string,
): JsonObject {
  const [usualCode, usualMessage] =
    USUAL[status] ?? (status < 500 ? USUAL_CLIENT_ERROR : USUAL_SERVER_ERROR);
  return { code: code ?? usualCode, message: message ?? usualMessage, request_id: requestId };
}

const USUAL_CLIENT_ERROR = ["InvalidParameter", "Required parameter(s) missing or invalid."];
const USUAL_SERVER_ERROR = ["InternalError", "An internal error has occurred, please try again."];

const USUAL: Readonly<Record<number, readonly [code: string, message: string]>> = {
  401: ["InvalidApiKey", "Invalid API-key provided."],
  403: ["AccessDenied", "Access denied."],
  404: ["ModelNotFound", "Model not exist."],
  408: ["RequestTimeOut", "Request timed out, please try again later."],
  429: ["Throttling.RateQuota", "Requests rate limit exceeded, please try again later."],
  503: ["ModelUnavailable", "Model is unavailable, please try again later."],
};
