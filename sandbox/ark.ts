import { ARK } from "./ark/dialect.ts";
import { failure, refusal } from "./ark/error.ts";
import { newRequestId } from "./ark/ids.ts";
import { IMAGE_MODELS } from "./ark/image-models.ts";
import { IMAGES_PATH, imagesEndpoint } from "./ark/images.ts";
import { ARK_MODELS } from "./ark/models.ts";
import { LISTED_VIDEO_MODELS } from "./ark/videos/models.ts";
import { textOfContent } from "./ark/videos/content.ts";
import { TASKS_PATH, videoTasks } from "./ark/videos/endpoint.ts";
import { resultFiles } from "./engine/result-files.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import { checkContentType, only } from "./openai/routing.ts";
import { pictureLinks } from "./picture-links.ts";
import type { VendorFactory } from "./vendor.ts";

/** Volcengine's Ark: the Doubao models, which speak OpenAI's protocol for chats, and those that draw and film. */
export const ark: VendorFactory = (options) => {
  const now = () => options.now();
  const files = resultFiles({ vendor: "ark", now, prefix: "X-Tos-" });
  const images = imagesEndpoint(pictureLinks(files, now), now);
  const videos = videoTasks(files, options);
  const compatible = compatibleVendor(
    {
      id: "ark",
      base: "/api/v3",
      dialect: ARK,
      models: [...ARK_MODELS, ...IMAGE_MODELS, ...LISTED_VIDEO_MODELS],
      cacheFromTokens: 1_024,
      newRequestId,
      headers: (requestId) => ({ "x-request-id": requestId, "x-client-request-id": requestId }),
      refusal,
      failure,
      besides(request, headers) {
        if (request.path !== IMAGES_PATH) return undefined;
        return only("POST", request, () => {
          checkContentType(request);
          return images(request, headers);
        });
      },
    },
    options,
  );
  return {
    ...compatible,
    reply: (request) => files.reply(request) ?? videos(request) ?? compatible.reply(request),
    lastUserText: (body) => textOfContent(body) ?? compatible.lastUserText(body),
    errorBody(error, path) {
      const requestId = newRequestId(now());
      const beside = path.startsWith(TASKS_PATH) ? { request_id: requestId } : {};
      return { ...failure(error, requestId), ...beside };
    },
  };
};
