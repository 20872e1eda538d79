import type { GatewayError } from "#core/error.ts";
import type { Images, InboundImageFormat } from "#core/image.ts";
import type { JsonObject } from "#lib/json.ts";
import { openEncoder } from "#styles/image/openai/stream-out.ts";
import { buildError as buildPlainError } from "#styles/text/chat/error.ts";
import { readQuestion } from "./read-question.ts";

/** Images of any family, in an envelope with a status. */
export const gateway: InboundImageFormat = {
  id: "images",
  inbound: {
    knowsLong: true,
    read: readQuestion,
    write,
    openEncoder,
    buildError,
  },
};

/** Every member is present; unset members are empty. */
function write({ pictures, createdAt = 0 }: Images): JsonObject {
  return {
    code: 200,
    msg: "Operation successful",
    data: {
      data: pictures.map(({ url = "", base64 = "", revisedPrompt = "" }) => ({
        url,
        b64_json: base64,
        revised_prompt: revisedPrompt,
      })),
      created: createdAt,
    },
  };
}

/** In both error formats that clients read. */
function buildError(error: GatewayError): JsonObject {
  return {
    code: error.fault.status,
    msg: error.message,
    data: null,
    ...buildPlainError(error),
  };
}
