import { newControlId } from "../ids.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import type { ApiError } from "@sluice/sandbox/openai/error.ts";
import type { VendorError } from "@sluice/sandbox/vendor.ts";
import { gateRefusal, numberOfCode, type GateCode } from "@sluice/sandbox/volcengine/gate-error.ts";

/** Metadata of every response of the control plane. */
export interface Metadata {
  readonly requestId: string;
  readonly action: string | null;
  readonly version: string | null;
  readonly region: string | undefined;
}

export function resultBody(metadata: Metadata, result: Json): JsonObject {
  return { ResponseMetadata: metadataBody(metadata), Result: result };
}

export function refusalBody(metadata: Metadata, cause: ApiError): JsonObject {
  return errorBody(metadata, codeOf(cause), cause.message);
}

/** An error that was ordered as a fault. */
export function failureBody({ status, code, message }: VendorError, now: number): JsonObject {
  const usual = gateRefusal(USUAL[status] ?? "InternalError");
  const metadata = {
    requestId: newControlId(now),
    action: null,
    version: null,
    region: undefined,
  };
  return errorBody(metadata, code ?? codeOf(usual), message ?? usual.message);
}

const USUAL: Readonly<Record<number, GateCode>> = {
  400: "MissingParameter",
  401: "SignatureDoesNotMatch",
  403: "AccessDenied",
  404: "InvalidActionOrVersion",
  429: "FlowLimitExceeded",
};

function errorBody(metadata: Metadata, code: string, message: string): JsonObject {
  const number = numberOfCode(code);
  const error = {
    ...(number === undefined ? {} : { CodeN: number }),
    Code: code,
    Message: message,
  };
  return { ResponseMetadata: { ...metadataBody(metadata), Error: error } };
}

function metadataBody({ requestId, action, version, region }: Metadata): JsonObject {
  return {
    RequestId: requestId,
    ...(action === null ? {} : { Action: action }),
    ...(version === null ? {} : { Version: version }),
    Service: "ark",
    ...(region === undefined ? {} : { Region: region }),
  };
}

/** The checks of fields, which all vendors share, have codes of another vendor. */
function codeOf({ detail: { code } }: ApiError): string {
  if (code === "missing_required_parameter") return "MissingParameter";
  return typeof code === "string" && /^[A-Z]/.test(code) ? code : "InvalidParameter";
}
