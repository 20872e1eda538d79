import { QWEN } from "./dashscope/dialect.ts";
import { failure, refusal } from "./dashscope/error.ts";
import { newRequestId } from "./dashscope/ids.ts";
import { IMAGE_MODELS } from "./dashscope/image-models.ts";
import { promptIn } from "./dashscope/image-request.ts";
import { QWEN_MODELS } from "./dashscope/models.ts";
import { NATIVE, nativeFailure } from "./dashscope/native.ts";
import { nativeEndpoints } from "./dashscope/native-endpoints.ts";
import { queryIn, RERANK_MODELS } from "./dashscope/rerank.ts";
import { WAN_MODELS } from "./dashscope/videos/models.ts";
import { resultFiles } from "./engine/result-files.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/**
 * Alibaba's Qwen models through the mode that speaks OpenAI's protocol, and
 * rerankers and models that draw and film beside it, in the vendor's own.
 */
export const dashscope: VendorFactory = (options) => {
  const compatible = compatibleVendor(
    {
      id: "dashscope",
      base: "/compatible-mode/v1",
      dialect: QWEN,
      models: [...QWEN_MODELS, ...RERANK_MODELS, ...IMAGE_MODELS, ...WAN_MODELS],
      cacheFromTokens: 256,
      newRequestId,
      headers,
      refusal,
      failure,
    },
    options,
  );
  const now = () => options.now();
  const files = resultFiles({ vendor: "dashscope", now });
  const native = nativeEndpoints(files, options);

  return {
    ...compatible,
    reply(request) {
      const file = files.reply(request);
      if (file !== undefined) return file;
      if (!request.path.startsWith(NATIVE)) return compatible.reply(request);
      const requestId = newRequestId();
      return native(request, requestId, headers(requestId));
    },
    lastUserText: (body) => queryIn(body) ?? promptIn(body) ?? compatible.lastUserText(body),
    errorBody: (error, path) =>
      path.startsWith(NATIVE)
        ? nativeFailure(error, newRequestId())
        : compatible.errorBody(error, path),
  };
};

function headers(requestId: string): Readonly<Record<string, string>> {
  return {
    "x-request-id": requestId,
    "x-dashscope-call-gateway": "true",
    "req-cost-time": "120",
    vary: "Origin,Access-Control-Request-Method,Access-Control-Request-Headers",
  };
}
