import { GatewayError } from "#core/error.ts";
import type {
  ImageEncoder,
  ImageRequest,
  Images,
  InboundImageFormat,
  MadePicture,
} from "#core/image.ts";
import type { OperationResult } from "#core/operation.ts";
import type { UpstreamError } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { formatSse } from "#lib/sse.ts";
import { defined } from "#lib/values.ts";
import { readQuestion } from "#styles/image/gateway/read-question.ts";
import { buildError } from "#styles/video/ark/error.ts";

/** Image requests of this vendor's clients, for models of any family. */
export const arkGenerations: InboundImageFormat = {
  id: "image-ark",
  inbound: { knowsLong: true, read: readQuestion, write, openEncoder, buildError },
};

function write(
  { pictures, failures = [], createdAt = 0, usage }: Images & Required<OperationResult>,
  { model }: ImageRequest,
): JsonObject {
  return {
    model,
    created: createdAt,
    data: [...pictures.map(shown), ...failures.map(failed)],
    usage: usageOf(usage, pictures.length),
  };
}

function shown({ url, base64, size }: MadePicture): JsonObject {
  return defined({ url, b64_json: base64, size });
}

function failed({ code, message }: UpstreamError): JsonObject {
  return buildError(new GatewayError(code, message));
}

function usageOf({ inputTokens, outputTokens }: Usage, made: number): JsonObject {
  return {
    generated_images: made,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
}

/** https://www.volcengine.com/docs/82379/1824137 */
function openEncoder({ model }: ImageRequest, at: number): ImageEncoder {
  let made = 0;
  const event = (name: string, members: JsonObject): string => {
    const type = `image_generation.${name}`;
    return formatSse(JSON.stringify({ type, model, created: at, ...members }), type);
  };
  return {
    encode(each) {
      switch (each.type) {
        case "partial":
          return event("partial_image", {
            image_index: each.index,
            partial_image_index: each.step,
            ...shown(each.picture),
          });
        case "picture":
          made++;
          return event("partial_succeeded", { image_index: each.index, ...shown(each.picture) });
        case "failed":
          return event("partial_failed", { image_index: each.index, ...failed(each.error) });
      }
    },
    end: (usage) => event("completed", { usage: usageOf(usage, made) }) + formatSse("[DONE]"),
    fail: (error) => formatSse(JSON.stringify({ type: "error", ...buildError(error) }), "error"),
  };
}
