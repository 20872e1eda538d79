import type { JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

/** A refusal by the vendor's own number. */
export function refused(code: KlingCode, message: string = CODES[code].message): ApiError {
  return new ApiError(CODES[code].status, { message, code: String(code) });
}

/** A parameter that is wrong, and why. */
export function invalidValue(name: string, reason: string): ApiError {
  return refused(1201, `${name}: ${reason}`);
}

/** The checks of fields, which all vendors share, know no numbers. */
export function refusalBody({ status, detail }: ApiError, requestId: string): JsonObject {
  return body(readCode(detail.code) ?? codeFor(status), detail.message, requestId);
}

/** An error that was ordered as a fault. */
export function failureBody({ status, code, message }: VendorError, requestId: string): JsonObject {
  const known = readCode(code) ?? codeFor(status);
  return body(known, message ?? CODES[known].message, requestId);
}

/** A number in brackets has the request refused with it. */
export function markedRefusal(marks: ReadonlySet<string>): ApiError | undefined {
  const code = [...marks].map(readCode).find((each) => each !== undefined);
  return code === undefined ? undefined : refused(code);
}

function body(code: number, message: string, requestId: string): JsonObject {
  return { code, message, request_id: requestId };
}

function readCode(text: string | null | undefined): KlingCode | undefined {
  const code = Number(text);
  return isCode(code) ? code : undefined;
}

function isCode(code: number): code is KlingCode {
  return Object.hasOwn(CODES, code);
}

function codeFor(status: number): KlingCode {
  if (status >= 500) return status === 503 ? 5001 : status === 504 ? 5002 : 5000;
  const usual: Readonly<Record<number, KlingCode>> = {
    401: 1002,
    403: 1103,
    404: 1203,
    405: 1202,
    429: 1302,
  };
  return usual[status] ?? 1201;
}

const CODES = {
  1000: { status: 401, message: "Authentication failed" },
  1001: { status: 401, message: "Authorization is empty" },
  1002: { status: 401, message: "Authorization is invalid" },
  1003: { status: 401, message: "Authorization is not yet valid" },
  1004: { status: 401, message: "Authorization has expired" },
  1100: { status: 429, message: "Account exception" },
  1101: { status: 429, message: "Account in arrears" },
  1102: { status: 429, message: "Resource pack depleted or expired" },
  1103: { status: 403, message: "No right to the requested resource" },
  1200: { status: 400, message: "Invalid request parameters" },
  1201: { status: 400, message: "Invalid parameters" },
  1202: { status: 404, message: "The requested method is invalid" },
  1203: { status: 404, message: "The requested resource does not exist" },
  1300: { status: 400, message: "Trigger strategy of the platform" },
  1301: { status: 400, message: "Trigger the content security policy of the platform" },
  1302: { status: 429, message: "The request is too frequent" },
  1303: { status: 429, message: "parallel task over resource pack limit" },
  1304: { status: 429, message: "The IP is not in the whitelist" },
  5000: { status: 500, message: "Server internal error" },
  5001: { status: 503, message: "Server under maintenance" },
  5002: { status: 504, message: "Server internal timeout" },
} as const;

type KlingCode = keyof typeof CODES;
