import { errorBody, refusal } from "../error.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, type ErrorDetail } from "@sluice/sandbox/openai/error.ts";

/** A parameter that is wrong, and why. */
export function invalidField(param: string, reason: string): ApiError {
  return new ApiError(400, { message: reason, param, code: "InvalidParameter" });
}

/** A refusal by its code. */
export function refusedAs(code: string, message: string, param?: string): ApiError {
  const [, status = 400, type = "BadRequest"] =
    FAMILIES.find(([start]) => code.startsWith(start)) ?? [];
  return new ApiError(status, { message, type, code, ...(param === undefined ? {} : { param }) });
}

/** Prefix of a code, and its status and type. */
const FAMILIES: readonly (readonly [string, number, string])[] = [
  ["AuthenticationError", 401, "Unauthorized"],
  ["InvalidAccountStatus", 401, "Unauthorized"],
  ["AccountOverdueError", 403, "Forbidden"],
  ["AccessDenied", 403, "Forbidden"],
  ["OperationDenied", 403, "Forbidden"],
  ["InvalidEndpointOrModel", 404, "NotFound"],
  ["ModelNotOpen", 404, "NotFound"],
  ["ResourceNotFound", 404, "NotFound"],
  ["RateLimitExceeded", 429, "TooManyRequests"],
  ["ModelAccount", 429, "TooManyRequests"],
  ["APIAccountRpm", 429, "TooManyRequests"],
  ["AccountRateLimitExceeded", 429, "TooManyRequests"],
  ["RequestBurstTooFast", 429, "TooManyRequests"],
  ["InflightBatchsizeExceeded", 429, "TooManyRequests"],
  ["ServerOverloaded", 429, "TooManyRequests"],
  ["QuotaExceeded", 429, "TooManyRequests"],
  ["SetLimitExceeded", 429, "TooManyRequests"],
  ["InternalServiceError", 500, "InternalServerError"],
  ["ContentSecurityDetectionError", 500, "InternalServerError"],
];

/** The request's id stands in the message, and beside the error as well. */
export function taskRefusal(status: number, detail: ErrorDetail, requestId: string): JsonObject {
  return { ...refusalBody(status, detail, requestId), request_id: requestId };
}

function refusalBody(status: number, detail: ErrorDetail, requestId: string): JsonObject {
  const { code, message, param } = detail;
  // Of a type that says itself what it is, or of the checks that all endpoints share.
  if (detail.type !== undefined) return errorBody(detail, requestId);
  if (status !== 400 || typeof param !== "string") return refusal(status, detail, requestId);
  const isMissing = code === "missing_required_parameter";
  return errorBody(
    {
      param,
      code: isMissing ? "MissingParameter" : "InvalidParameter",
      message: isMissing
        ? `The request failed because it is missing \`${param}\` parameter.`
        : `The parameter \`${param}\` specified in the request is not valid: ${message}.`.replace(
            /\.\.$/,
            ".",
          ),
    },
    requestId,
  );
}
