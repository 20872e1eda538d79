import type { JsonObject } from "../json.ts";
import type { VendorError } from "../vendor.ts";

/** An answer other than the wanted one, as the vendor words it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly detail: ErrorDetail;

  constructor(status: number, detail: ErrorDetail) {
    super(detail.message);
    this.status = status;
    this.detail = detail;
  }

  get body(): JsonObject {
    return errorBody(this.detail);
  }
}

export interface ErrorDetail {
  readonly message: string;
  readonly type?: string;
  readonly param?: string | null;
  readonly code?: string | null;
}

/** An invalid request. Clients can act on `param` and `code`. */
export function invalid(param: string | null, code: string | null, message: string): ApiError {
  return new ApiError(400, { message, param, code });
}

export function noSuchModel(id: string): ApiError {
  return new ApiError(404, {
    message: `The model '${id}' does not exist or you do not have access to it.`,
    param: "model",
    code: "model_not_found",
  });
}

/** The body for an error that was ordered as a fault: a `code` other than the usual one decides the rest. */
export function orderedError(error: VendorError): JsonObject {
  return errorBody(orderedDetail(error));
}

export function orderedDetail({ status, code, message }: VendorError): ErrorDetail {
  const usual = USUAL[status] ?? (status < 500 ? USUAL_CLIENT_ERROR : USUAL_SERVER_ERROR);
  return {
    ...usual,
    ...(code === undefined ? {} : { code }),
    ...(code === "insufficient_quota"
      ? { type: code, message: "You have exceeded your current quota." }
      : {}),
    ...(message === undefined ? {} : { message }),
  };
}

function errorBody({
  message,
  type = "invalid_request_error",
  param = null,
  code = null,
}: ErrorDetail): JsonObject {
  return { error: { message, type, param, code } };
}

const USUAL_CLIENT_ERROR: ErrorDetail = { message: "The request was rejected." };
const USUAL_SERVER_ERROR: ErrorDetail = {
  message: "The server had an error while processing your request.",
  type: "server_error",
};

const USUAL: Readonly<Record<number, ErrorDetail>> = {
  401: { message: "Incorrect API key provided.", code: "invalid_api_key" },
  403: {
    message: "Country, region, or territory not supported.",
    type: "request_forbidden",
    code: "unsupported_country_region_territory",
  },
  404: {
    message: "The model does not exist or you do not have access to it.",
    code: "model_not_found",
  },
  429: {
    message: "Rate limit reached for requests.",
    type: "requests",
    code: "rate_limit_exceeded",
  },
  503: {
    message: "The engine is currently overloaded, please try again later.",
    type: "server_error",
  },
};
