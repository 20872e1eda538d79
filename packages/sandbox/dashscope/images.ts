import { draw, type Drawing } from "../engine/drawing.ts";
import { isRefused } from "../engine/refused-pictures.ts";
import type { ResultFiles } from "../engine/result-files.ts";
import { reportedUsage } from "../faults/usage-faults.ts";
import type { JsonObject } from "../json.ts";
import { pictureLinks } from "../picture-links.ts";
import type { VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { readMessageRequest, readPromptRequest, type ImageRequest } from "./image-request.ts";
import { extended } from "./extended.ts";
import { inspectionFailed } from "./native.ts";
import { isAsync, unsupported, type DashscopeWish } from "./tasks.ts";

export const GENERATION_PATH = "/api/v1/services/aigc/multimodal-generation/generation";
export const SYNTHESIS_PATH = "/api/v1/services/aigc/text2image/image-synthesis";

/** Qwen's images: synchronous, or as tasks. Throws `NativeError` if the vendor refuses the request. */
interface QwenImages {
  generate(request: VendorRequest): JsonObject;
  /** The options of an image task. */
  requested(request: VendorRequest): DashscopeWish;
}

export function qwenImages(files: ResultFiles, now: () => number): QwenImages {
  const links = pictureLinks(files, now);

  return {
    generate(request) {
      if (isAsync(request)) throw unsupported("asynchronous");
      const asked = readMessageRequest(request);
      const origin = originOf(request);
      const content = drawingsOf(asked).map((drawing) => ({ image: links.keep(drawing, origin) }));
      const message = { role: "assistant", content };
      return {
        output: {
          choices: [{ finish_reason: "stop", message }],
          task_metric: { TOTAL: 1, SUCCEEDED: 1, FAILED: 0 },
        },
        ...usageOf({ ...asked.size, image_count: asked.count }, request),
      };
    },

    requested(request) {
      const asked = readPromptRequest(request);
      const { prompt, isExtended, model } = asked;
      return {
        model: model.id,
        service: "aigc:text2image:image-synthesis",
        prompt,
        isCounted: true,
        outcome({ id, origin, endsAt }) {
          const results = drawingsOf(asked).map((drawing, index) => ({
            orig_prompt: prompt,
            ...(isExtended ? { actual_prompt: extended(prompt) } : {}),
            url: files.publish({
              origin,
              name: `${id}/${index}.png`,
              publishedAt: endsAt,
              validSeconds: DAY_SECONDS,
              contentType: "image/png",
              make: () => draw(drawing),
            }),
          }));
          return { output: { results }, usage: { image_count: results.length } };
        },
      };
    },
  };
}

const DAY_SECONDS = 86_400;

function drawingsOf(asked: ImageRequest): readonly Drawing[] {
  const { prompt, size, count, given, isMarked } = asked;
  if (isRefused(prompt)) throw inspectionFailed();
  return Array.from({ length: count }, (_, index) => ({
    ...size,
    prompt: count === 1 ? prompt : `${index + 1} of ${count}: ${prompt}`,
    given: given.length,
    isMarked,
  }));
}

function usageOf(usage: JsonObject, { faults }: VendorRequest): JsonObject {
  const reported = reportedUsage(usage, faults);
  return reported === undefined ? {} : { usage: reported };
}
