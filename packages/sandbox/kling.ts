import { failureBody } from "./kling/error.ts";
import { newRequestId } from "./kling/ids.ts";
import { klingEndpoints } from "./kling/endpoints.ts";
import { lastUserText } from "./kling/last-user-text.ts";
import type { VendorError, VendorFactory } from "./vendor.ts";

/**
 * Kling's videos, in the older style below /v1 and in the newer one that names
 * the model in the path: https://kling.ai/document-api
 */
export const kling: VendorFactory = (options) => {
  const errorBody = (error: VendorError) => failureBody(error, newRequestId());
  return {
    id: "kling",
    reply: klingEndpoints(options),
    lastUserText,
    modelIn: (path) => (path.startsWith("/v1/") ? undefined : path.split("/")[2]),
    errorBody,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(errorBody(error)), tokens: 0 }),
  };
};
