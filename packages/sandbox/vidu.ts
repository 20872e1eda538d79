import { isJsonObject } from "./json.ts";
import type { VendorError, VendorFactory } from "./vendor.ts";
import { failureBody } from "./vidu/error.ts";
import { newTraceId, viduEndpoints } from "./vidu/endpoints.ts";

/** Vidu's videos: https://platform.vidu.com/docs */
export const vidu: VendorFactory = (options) => {
  const errorBody = (error: VendorError) => failureBody(error, newTraceId());
  return {
    id: "vidu",
    reply: viduEndpoints(options),
    lastUserText(body) {
      const prompt = isJsonObject(body) ? body["prompt"] : undefined;
      return typeof prompt === "string" ? prompt : "";
    },
    errorBody,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(errorBody(error)), tokens: 0 }),
  };
};
