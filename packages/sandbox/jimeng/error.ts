import type { JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

/** A refusal by what stands before all of the maker's services: it has another envelope. */
export class GateError extends Error {
  override readonly name = "GateError";
  readonly status: number;
  /** `CodeN` is the number of the code. */
  readonly error: JsonObject;

  constructor(status: number, error: JsonObject, message: string) {
    super(message);
    this.status = status;
    this.error = error;
  }
}

export function gateRefusal(code: keyof typeof GATE_CODES): GateError {
  const { status, number, message } = GATE_CODES[code];
  return new GateError(status, { CodeN: number, Code: code, Message: message }, message);
}

const GATE_CODES = {
  MissingAuthenticationToken: {
    status: 401,
    number: 100003,
    message: "The request is missing authentication token.",
  },
  InvalidCredential: {
    status: 401,
    number: 100004,
    message: "The scope of the credential is not that of the request.",
  },
  InvalidTimestamp: {
    status: 401,
    number: 100006,
    message: "The Signature of the request is expired or the date is malformed.",
  },
  InvalidActionOrVersion: {
    status: 404,
    number: 100008,
    message: "Could not find operation for the given action and version.",
  },
  InvalidAccessKey: {
    status: 401,
    number: 100009,
    message: "The access key of the request does not exist.",
  },
  SignatureDoesNotMatch: {
    status: 401,
    number: 100010,
    message: "The request signature we calculated does not match the signature you provided.",
  },
  InvalidAuthorization: {
    status: 401,
    number: 100024,
    message: "The format of the Authorization header is wrong.",
  },
} as const;

/** A refusal by the vendor's own number. */
export function refused(code: JimengCode, message: string = CODES[code].message): ApiError {
  return new ApiError(CODES[code].status, { message, code: String(code) });
}

/** Input that is wrong, and why; the checks of fields, which all vendors share, say it in their words. */
export function invalidInput(reason: string): ApiError {
  return refused(50215, `${CODES[50215].message} ${reason}`);
}

/** The number of a refusal, and why. */
export function refusalOf({ detail }: ApiError) {
  const code = readCode(detail.code);
  if (code !== undefined) return { code, message: detail.message };
  return { code: 50215, message: `${CODES[50215].message} ${detail.message}` };
}

/** An error that was ordered as a fault. */
export function failureOf({ status, code, message }: VendorError) {
  const known = readCode(code) ?? codeFor(status);
  return { code: known, message: message ?? CODES[known].message };
}

/** A number in brackets has the order refused with it, unless it is found out late. */
export function markedRefusal(marks: ReadonlySet<string>): ApiError | undefined {
  const code = [...marks].map(readCode).find((each) => each !== undefined && !isLate(each));
  return code === undefined ? undefined : refused(code);
}

/** How a task fails that was told to: what broke is nothing that asking again would mend. */
export function lateFailure(marks: ReadonlySet<string>): ApiError {
  const code = [...marks].map(readCode).find((each) => each !== undefined && isLate(each));
  return refused(code ?? (marks.has("moderate") ? 50516 : 50520));
}

/** Failures that appear only after the task has run. */
export const LATE_CODES: readonly string[] = [
  "50511",
  "50512",
  "50516",
  "50517",
  "50519",
  "50520",
  "50521",
  "50522",
];

function isLate(code: number): boolean {
  return LATE_CODES.includes(String(code));
}

function readCode(text: string | null | undefined): JimengCode | undefined {
  const code = Number(text);
  return isCode(code) ? code : undefined;
}

function isCode(code: number): code is JimengCode {
  return Object.hasOwn(CODES, code);
}

function codeFor(status: number): JimengCode {
  if (status >= 500) return 50500;
  const usual: Readonly<Record<number, JimengCode>> = { 401: 50400, 403: 50400, 429: 50429 };
  return usual[status] ?? 50215;
}

const CODES = {
  50215: { status: 400, message: "Input invalid for this service." },
  50400: { status: 401, message: "Access Denied" },
  30403: { status: 403, message: "The feature is not enabled" },
  30404: { status: 403, message: "The feature does not exist" },
  50411: { status: 400, message: "Pre Img Risk Not Pass" },
  50412: { status: 400, message: "Text Risk Not Pass" },
  50413: { status: 400, message: "Post Text Risk Not Pass" },
  50429: { status: 429, message: "Request Has Reached API Limit, Please Try Later" },
  50430: { status: 429, message: "Request Has Reached API Concurrent Limit, Please Try Later" },
  50500: { status: 500, message: "Internal Error" },
  50501: { status: 500, message: "Internal RPC Error" },
  50511: { status: 400, message: "Post Img Risk Not Pass" },
  50512: { status: 400, message: "Output Text Risk Not Pass" },
  50516: { status: 400, message: "Post Video Risk Not Pass" },
  50517: { status: 400, message: "Post Audio Risk Not Pass" },
  50518: { status: 400, message: "Pre Img Copyright Not Pass" },
  50519: { status: 400, message: "Post Img Copyright Not Pass" },
  50520: { status: 400, message: "Risk Internal Error" },
  50521: { status: 400, message: "Antidirt Internal Error" },
  50522: { status: 400, message: "Image Copyright Internal Error" },
} as const;

type JimengCode = keyof typeof CODES;
