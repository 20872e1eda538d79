import { ARK } from "./ark/dialect.ts";
import { failure, refusal } from "./ark/error.ts";
import { newRequestId } from "./ark/ids.ts";
import { ARK_MODELS } from "./ark/models.ts";
import { compatibleVendor } from "./openai/compatible-vendor.ts";
import type { VendorFactory } from "./vendor.ts";

/** Volcengine's Ark with the Doubao models, which speaks OpenAI's protocol for chats. */
export const ark: VendorFactory = (options) =>
  compatibleVendor(
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
