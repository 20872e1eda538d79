import { ApiError } from "@sluice/sandbox/openai/error.ts";

/** A parameter that is wrong, and why. */
export function invalidParameter(name: string, reason: string): ApiError {
  const message = `The specified parameter ${name} is not valid: ${reason}.`;
  return new ApiError(400, { code: "InvalidParameter", message });
}

/** The error for an object that does not exist, or that another account owns. */
export function notFound(what: string, id: string): ApiError {
  const message = `The specified ${what} ${id} is not found.`;
  return new ApiError(404, { code: "ResourceNotFound", message });
}
