import { ARK } from "./ark/dialect.ts";
import { failure, refusal } from "./ark/error.ts";
import { newRequestId } from "./ark/ids.ts";
import { ARK_MODELS } from "./ark/models.ts";
import { textOfContent } from "./ark/videos/content.ts";
import { videoTasks } from "./ark/videos/endpoint.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/** Volcengine's Ark: the Doubao models, which speak OpenAI's protocol for chats, and videos in its own. */
export const ark: VendorFactory = (options) => {
  const videos = videoTasks(options);
  const compatible = compatibleVendor(
    {
      id: "ark",
      base: "/api/v3",
      dialect: ARK,
      models: ARK_MODELS,
      cacheFromTokens: 1_024,
      newRequestId,
      headers: (requestId) => ({ "x-request-id": requestId, "x-client-request-id": requestId }),
      refusal,
      failure,
    },
    options,
  );
  return {
    ...compatible,
    reply: (request) => videos.reply(request) ?? compatible.reply(request),
    lastUserText: (body) => textOfContent(body) ?? compatible.lastUserText(body),
  };
};
