import { ApiError } from "../openai/error.ts";

/**
 * What the gate before all of the vendor's services refuses, by its code:
 * https://docs.byteplus.com/byteplus-platform/reference/common-error-codes
 */
export function gateRefusal(code: GateCode, what = ""): ApiError {
  const { status, message } = GATE_CODES[code];
  return new ApiError(status, { code, message: message.replace("%s", what) });
}

/** The number that goes with a code; services' own codes have none. */
export function numberOfCode(code: string): number | undefined {
  return isGateCode(code) ? GATE_CODES[code].number : undefined;
}

function isGateCode(code: string): code is GateCode {
  return Object.hasOwn(GATE_CODES, code);
}

const GATE_CODES = {
  MissingParameter: {
    status: 400,
    number: 100_002,
    message: "The request is missing %s parameter.",
  },
  MissingAuthenticationToken: {
    status: 401,
    number: 100_003,
    message: "Request is missing Authentication Token.",
  },
  MissingRequestInfo: {
    status: 400,
    number: 100_004,
    message: "The request is missing %s information.",
  },
  MissingSignature: { status: 401, number: 100_005, message: "The request is missing signature." },
  InvalidTimestamp: {
    status: 400,
    number: 100_006,
    message: "The signature of the request is expired.",
  },
  ServiceNotFound: { status: 404, number: 100_007, message: "This service[%s] not found." },
  InvalidActionOrVersion: { status: 404, number: 100_008, message: "Could not find operation %s." },
  InvalidAccessKey: {
    status: 401,
    number: 100_009,
    message: "The accesskey [%s] included in the request is invalid.",
  },
  SignatureDoesNotMatch: {
    status: 401,
    number: 100_010,
    message: "The signature is not that of the request.",
  },
  AccessDenied: {
    status: 403,
    number: 100_013,
    message: "User is not authorized to perform this action.",
  },
  InternalError: { status: 500, number: 100_014, message: "Internal Error." },
  FlowLimitExceeded: {
    status: 429,
    number: 100_018,
    message: "The request is beyond the limit of requests per second.",
  },
} as const;

export type GateCode = keyof typeof GATE_CODES;
