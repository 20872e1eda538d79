import type { Images } from "#core/image.ts";
import type { OperationResult } from "#core/operation.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { writeUsage } from "./usage.ts";

export function write({
  pictures,
  createdAt = 0,
  about,
  usage,
}: Images & Required<OperationResult>): JsonObject {
  return {
    created: createdAt,
    data: pictures.map(({ url, base64, revisedPrompt }) =>
      defined({ url, b64_json: base64, revised_prompt: revisedPrompt }),
    ),
    ...about,
    usage: writeUsage(usage),
  };
}
