import type { JsonObject } from "./json.ts";
import { check, isThinking, KIMIS } from "./moonshot/rules.ts";
import { orderedDetail, type ErrorDetail } from "./openai/error.ts";
import { thinkingVendor } from "./openai/thinking-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/** Moonshot AI's Kimi: https://platform.kimi.ai/docs */
export const moonshot: VendorFactory = (options) =>
  thinkingVendor(
    {
      id: "moonshot",
      base: "/v1",
      models: KIMIS,
      check,
      isThinking,
      refusal: (_status, detail) => errorBody(detail),
      failure: (error) => errorBody(orderedDetail(error)),
    },
    options,
  );

function errorBody({ message, type = "invalid_request_error" }: ErrorDetail): JsonObject {
  return { error: { message, type } };
}
