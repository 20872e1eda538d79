import { ARK } from "./ark/dialect.ts";
import { failure, refusal } from "./ark/error.ts";
import { newRequestId } from "./ark/ids.ts";
import { IMAGE_MODELS } from "./ark/image-models.ts";
import { IMAGES_PATH, imagesEndpoint } from "./ark/images.ts";
import { ARK_MODELS } from "./ark/models.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import { checkContentType, only } from "./openai/routing.ts";
import { pictureLinks } from "./picture-links.ts";
import type { VendorFactory } from "./vendor.ts";

/** Volcengine's Ark: the Doubao models, which speak OpenAI's protocol for chats, and those that draw. */
export const ark: VendorFactory = (options) => {
  const links = pictureLinks({
    folder: "/ark/files/",
    sign: (expiresAt) => `X-Tos-Expires=86400&X-Tos-Until=${Math.floor(expiresAt / 1_000)}`,
    now: () => options.now(),
  });
  const images = imagesEndpoint(links, () => options.now());
  const compatible = compatibleVendor(
    {
      id: "ark",
      base: "/api/v3",
      dialect: ARK,
      models: [...ARK_MODELS, ...IMAGE_MODELS],
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
    reply: (request) => links.reply(request) ?? compatible.reply(request),
  };
};
