import { assetLibrary } from "./ark/assets/library.ts";
import { CONTROL_PATH, controlPlane, textOfControl } from "./ark/control/endpoint.ts";
import { failureBody } from "./ark/control/envelope.ts";
import { ARK } from "./ark/dialect.ts";
import { failure, refusal } from "./ark/error.ts";
import { newRequestId } from "./ark/ids.ts";
import { IMAGE_MODELS } from "./ark/image-models.ts";
import { IMAGES_PATH, imagesEndpoint } from "./ark/images.ts";
import { ARK_MODELS } from "./ark/models.ts";
import { LISTED_VIDEO_MODELS } from "./ark/videos/models.ts";
import { textOfContent } from "./ark/videos/content.ts";
import { verificationPage } from "./ark/verification/page.ts";
import { sessionTable } from "./ark/verification/session-table.ts";
import { TASKS_PATH, videoTasks } from "./ark/videos/endpoint.ts";
import { resultFiles } from "./engine/result-files.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import { checkContentType, only } from "./openai/routing.ts";
import { pictureLinks } from "./picture-links.ts";
import type { VendorFactory } from "./vendor.ts";

/** Volcengine's Ark: the Doubao models, which speak OpenAI's protocol for chats, those that draw and film, and the assets that they film with. */
export const ark: VendorFactory = (options) => {
  const now = () => options.now();
  const files = resultFiles({ vendor: "ark", now, prefix: "X-Tos-" });
  const images = imagesEndpoint(pictureLinks(files, now), now);
  const library = assetLibrary(options);
  const sessions = sessionTable(library.groups, now);
  const control = controlPlane({ library, sessions, files, options });
  const page = verificationPage(sessions, now);
  const videos = videoTasks({ files, library, options });
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
    reply: (request) =>
      files.reply(request) ??
      videos(request) ??
      control(request) ??
      page(request) ??
      compatible.reply(request),
    lastUserText(body) {
      const told = textOfContent(body) ?? compatible.lastUserText(body);
      return told === "" ? textOfControl(body) : told;
    },
    errorBody(error, path) {
      if (path === CONTROL_PATH) return failureBody(error, now());
      const requestId = newRequestId(now());
      const beside = path.startsWith(TASKS_PATH) ? { request_id: requestId } : {};
      return { ...failure(error, requestId), ...beside };
    },
  };
};
