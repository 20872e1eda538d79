import type { JsonObject } from "./json.ts";
import { orderedDetail, type ErrorDetail } from "./openai/error.ts";
import { thinkingVendor } from "./openai/thinking-vendor.ts";
import type { VendorFactory } from "./vendor.ts";
import { check, GLMS, isThinking } from "./zhipu/rules.ts";

/** Z.ai's GLM: https://docs.z.ai/api-reference/llm/chat-completion */
export const zhipu: VendorFactory = (options) =>
  thinkingVendor(
    {
      id: "zhipu",
      base: "/api/paas/v4",
      models: GLMS,
      check,
      isThinking,
      streamsCalls: (body) => body["tool_stream"] === true,
      refusal: (status, detail) => errorBody(status === 400 ? "1210" : `${status}`, detail),
      failure: (error) => errorBody(`${error.status}`, orderedDetail(error)),
    },
    options,
  );

function errorBody(code: string, { message }: ErrorDetail): JsonObject {
  return { error: { code, message } };
}
