import type { JsonObject } from "../json.ts";
import { ApiError, type ErrorDetail } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

/** A refusal of the gateway itself, in its own words. */
export function refused(message: string): ApiError {
  return new ApiError(400, { message, code: INVALID });
}

/** A refusal of the model behind it, whose words carry a prefix. */
export function refusedByModel(message: string): ApiError {
  return refused(`<400> InternalError.Algo.InvalidParameter: ${message}`);
}

const INVALID = "invalid_parameter_error";

/** What the protocol's own checks refused: all of it is one code here, and no parameter is named. */
export function refusal(status: number, detail: ErrorDetail, requestId: string): JsonObject {
  if (status === 401) {
    const message =
      detail.code === undefined
        ? "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."
        : "Incorrect API key provided.";
    return errorBody({ ...detail, message }, requestId);
  }
  if (status !== 400 || detail.code === INVALID) return errorBody(detail, requestId);
  const message = `<400> InternalError.Algo.InvalidParameter: ${detail.message}`;
  return errorBody({ message, code: INVALID }, requestId);
}

/** An error that was ordered as a fault. */
export function failure({ status, code, message }: VendorError, requestId: string): JsonObject {
  const usual = USUAL[status] ?? (status < 500 ? USUAL_CLIENT_ERROR : USUAL_SERVER_ERROR);
  const known = Object.values(USUAL).find((each) => each.code === code);
  return errorBody(
    {
      ...(known ?? usual),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
    },
    requestId,
  );
}

function errorBody(detail: ErrorDetail, requestId: string): JsonObject {
  const { message, type = "invalid_request_error", code = null } = detail;
  return {
    error: { message, type, param: null, code },
    id: `chatcmpl-${requestId}`,
    request_id: requestId,
  };
}

const USUAL_CLIENT_ERROR: ErrorDetail = { message: "The request was rejected.", code: INVALID };
const USUAL_SERVER_ERROR: ErrorDetail = {
  message: "An internal error has occurred, please try again later.",
  type: "internal_error",
  code: "internal_error",
};

const USUAL: Readonly<Record<number, ErrorDetail>> = {
  400: {
    message: "Input data may contain inappropriate content.",
    type: "data_inspection_failed",
    code: "data_inspection_failed",
  },
  401: { message: "Incorrect API key provided.", code: "invalid_api_key" },
  403: { message: "Access to the model is denied.", type: "access_denied", code: "access_denied" },
  404: {
    message: "The model does not exist or you do not have access to it.",
    code: "model_not_found",
  },
  429: {
    message: "Requests rate limit exceeded, please try again later.",
    type: "limit_requests",
    code: "limit_requests",
  },
  503: {
    message: "The model service is too busy, please try again later.",
    type: "service_unavailable",
    code: "service_unavailable",
  },
};
