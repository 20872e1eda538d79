import { randomBytes } from "node:crypto";
import type { JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

export type Version = "v1" | "v2";

/** A refusal by the vendor's own number. */
export function refused(code: MinimaxCode, message: string = CODES[code].message): ApiError {
  return new ApiError(CODES[code].status, { message, code: String(code) });
}

/** A parameter that is wrong, and why. */
export function invalidParams(reason: string): ApiError {
  return refused(2013, `invalid params, ${reason}`);
}

/** The checks of fields, which all vendors share, know no numbers. The older version answers all with 200. */
export function refusalOf({ status, detail }: ApiError, version: Version) {
  const known = readCode(detail.code);
  const code = known ?? (status === 404 ? 2013 : codeFor(status));
  const message = known === undefined ? `invalid params, ${detail.message}` : detail.message;
  return version === "v1"
    ? { status: 200, body: baseResp(code, message) }
    : { status, body: envelope(status, code, message) };
}

/** An error that was ordered as a fault. */
export function failureBody({ status, code, message }: VendorError, version: Version): JsonObject {
  const known = readCode(code) ?? codeFor(status);
  const text = message ?? CODES[known].message;
  return version === "v1" ? baseResp(known, text) : envelope(status, known, text);
}

export function baseResp(code: number, message: string): JsonObject {
  return { base_resp: { status_code: code, status_msg: message } };
}

export const SUCCESS = baseResp(0, "success");

/** The status comes once more, as a text. */
function envelope(status: number, code: MinimaxCode, message: string): JsonObject {
  const { type } = CODES[code];
  return {
    type: "error",
    error: { type, message, http_code: String(status) },
    request_id: randomBytes(16).toString("hex"),
  };
}

/** A number in brackets has the order refused with it. */
export function markedRefusal(marks: ReadonlySet<string>): ApiError | undefined {
  const code = [...marks].map(readCode).find((each) => each !== undefined && each !== 1027);
  return code === undefined ? undefined : refused(code);
}

/** Failures that appear only after the task has run, and words in the prompt that cause others. */
export const LATE_MARKS = ["1027", "cancel"];

/** Why a task has failed: its video may not be shown, or something broke. */
export function lateFailure(marks: ReadonlySet<string>) {
  const code = marks.has("1027") || marks.has("moderate") ? 1027 : 1013;
  return { code, message: CODES[code].message };
}

function readCode(text: string | null | undefined): MinimaxCode | undefined {
  const code = Number(text);
  return isCode(code) ? code : undefined;
}

function isCode(code: number): code is MinimaxCode {
  return Object.hasOwn(CODES, code);
}

function codeFor(status: number): MinimaxCode {
  if (status >= 500) return status === 504 ? 1001 : 1013;
  const usual: Readonly<Record<number, MinimaxCode>> = { 401: 1004, 402: 1008, 429: 1002 };
  return usual[status] ?? 2013;
}

const INVALID = "invalid_request_error";
const BROKEN = "api_error";

const CODES = {
  1000: { status: 500, type: BROKEN, message: "unknown error" },
  1001: { status: 504, type: BROKEN, message: "request timeout" },
  1002: { status: 429, type: "rate_limit_error", message: "rate limit" },
  1004: { status: 401, type: "authentication_error", message: "login fail" },
  1008: { status: 402, type: "insufficient_balance", message: "insufficient balance" },
  1013: { status: 500, type: BROKEN, message: "internal error" },
  1026: { status: 400, type: INVALID, message: "input new_sensitive" },
  1027: { status: 400, type: INVALID, message: "output new_sensitive" },
  1039: { status: 429, type: "rate_limit_error", message: "token limit" },
  2013: { status: 400, type: INVALID, message: "invalid params" },
  2049: { status: 401, type: "authentication_error", message: "invalid api key" },
} as const;

type MinimaxCode = keyof typeof CODES;
