import type { JsonObject } from "../json.ts";
import { ApiError, type ErrorDetail } from "../openai/error.ts";
import type { VendorError } from "../vendor.ts";

/** A parameter that is wrong, and why. */
export function invalidParameter(param: string, reason: string): ApiError {
  return refused(
    param,
    `The parameter \`${param}\` specified in the request are not valid: ${reason}.`,
  );
}

/** A refusal in words of its own. */
export function refused(param: string, message: string): ApiError {
  return new ApiError(400, { message, type: "BadRequest", param, code: "InvalidParameter" });
}

export function unknownModel(id: string): ApiError {
  return new ApiError(404, {
    message: `The model or endpoint ${id} does not exist or you do not have access to it.`,
    type: "NotFound",
    param: "",
    code: "InvalidEndpointOrModel.NotFound",
  });
}

/** Refusals of the protocol's checks, in this vendor's form. */
export function refusal(status: number, detail: ErrorDetail, requestId: string): JsonObject {
  const { message, param } = detail;
  if (status === 401) {
    const isMissing = detail.code === undefined;
    return errorBody(
      {
        ...usual(401),
        message: isMissing
          ? "The API key in the request is missing or invalid."
          : "The API key doesn't exist.",
      },
      requestId,
    );
  }
  // Those that are in this vendor's words already say their type.
  if (status !== 400 || detail.type !== undefined)
    return errorBody({ ...usual(status), ...detail }, requestId);

  const name = withoutPlaces(param ?? "");
  if (detail.code === "missing_required_parameter") {
    const missing = `The request failed because it is missing \`${name}\` parameter.`;
    return errorBody(
      { ...usual(400), code: "MissingParameter", message: missing, param: name },
      requestId,
    );
  }
  const reason =
    name === "" && message.includes("JSON")
      ? "we could not parse the JSON body of your request."
      : message;
  const words = `The parameter \`${name}\` specified in the request are not valid: ${reason}`;
  return errorBody({ ...usual(400), message: words, param: name }, requestId);
}

/** An error that was ordered as a fault. */
export function failure({ status, code, message }: VendorError, requestId: string): JsonObject {
  const known = Object.values(USUAL).find((each) => each.code === code);
  return errorBody(
    {
      ...(known ?? usual(status)),
      ...(code === undefined ? {} : { code }),
      ...(message === undefined ? {} : { message }),
    },
    requestId,
  );
}

/** "messages[0].content" is "messages.content" here. */
function withoutPlaces(param: string): string {
  return param.replaceAll(/\.?\[\d+\]/g, "");
}

export function errorBody(detail: ErrorDetail, requestId: string): JsonObject {
  const { message, type = "BadRequest", param, code = "InvalidParameter" } = detail;
  return {
    error: { code, message: `${message} Request id: ${requestId}`, param: param ?? "", type },
  };
}

function usual(status: number): ErrorDetail {
  return USUAL[status] ?? (status < 500 ? USUAL_CLIENT_ERROR : USUAL_SERVER_ERROR);
}

const USUAL_CLIENT_ERROR: ErrorDetail = {
  message: "The request failed because it is not valid.",
  type: "BadRequest",
  code: "InvalidParameter",
};
const USUAL_SERVER_ERROR: ErrorDetail = {
  message: "The service encountered an unexpected internal error.",
  type: "InternalServerError",
  code: "InternalServiceError",
};

const USUAL: Readonly<Record<number, ErrorDetail>> = {
  401: {
    message: "The API key in the request is missing or invalid.",
    type: "Unauthorized",
    code: "AuthenticationError",
  },
  403: {
    message: "The request failed because your account has an overdue balance.",
    type: "Forbidden",
    code: "AccountOverdueError",
  },
  404: {
    message: "The model or endpoint does not exist or you do not have access to it.",
    type: "NotFound",
    code: "InvalidEndpointOrModel.NotFound",
  },
  429: {
    message: "The request failed because the requests per minute limit has been exceeded.",
    type: "TooManyRequests",
    code: "RateLimitExceeded.EndpointRPMExceeded",
  },
};
