import { QWEN } from "./dashscope/dialect.ts";
import { failure, refusal } from "./dashscope/error.ts";
import { newRequestId } from "./dashscope/ids.ts";
import { QWEN_MODELS } from "./dashscope/models.ts";
import { answerRerank, queryIn, RERANK_MODELS, RERANK_PATH } from "./dashscope/rerank.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/** Alibaba's Qwen models through the mode that speaks OpenAI's protocol, and rerankers beside it. */
export const dashscope: VendorFactory = (options) => {
  const compatible = compatibleVendor(
    {
      id: "dashscope",
      base: "/compatible-mode/v1",
      dialect: QWEN,
      models: [...QWEN_MODELS, ...RERANK_MODELS],
      cacheFromTokens: 256,
      newRequestId,
      headers: (requestId) => ({
        "x-request-id": requestId,
        "x-dashscope-call-gateway": "true",
        "req-cost-time": "120",
        vary: "Origin,Access-Control-Request-Method,Access-Control-Request-Headers",
      }),
      refusal,
      failure,
    },
    options,
  );
  return {
    ...compatible,
    reply: (request) =>
      request.path === RERANK_PATH
        ? answerRerank(request, options.apiKeys, newRequestId())
        : compatible.reply(request),
    lastUserText: (body) => queryIn(body) ?? compatible.lastUserText(body),
  };
};
