import { envelope, jimengEndpoints } from "./jimeng/endpoints.ts";
import { failureOf } from "./jimeng/error.ts";
import { isJsonObject } from "./json.ts";
import type { VendorError, VendorFactory } from "./vendor.ts";

/** Jimeng's videos, at the address where its maker has all that has to do with seeing. */
export const jimeng: VendorFactory = (options) => {
  const errorBody = (error: VendorError) => {
    const { code, message } = failureOf(error);
    return envelope(code, message, null);
  };
  return {
    id: "jimeng",
    reply: jimengEndpoints(options),
    lastUserText(body) {
      const prompt = isJsonObject(body) ? body["prompt"] : undefined;
      return typeof prompt === "string" ? prompt : "";
    },
    errorBody,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(errorBody(error)), tokens: 0 }),
  };
};
