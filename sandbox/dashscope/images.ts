import type { Drawing } from "#sandbox/engine/drawing.ts";
import { isRefused } from "#sandbox/engine/refused-pictures.ts";
import { reportedUsage } from "#sandbox/faults/usage-faults.ts";
import type { JsonObject } from "#sandbox/json.ts";
import type { PictureLinks } from "#sandbox/picture-links.ts";
import type { VendorRequest } from "#sandbox/vendor.ts";
import { originOf } from "#sandbox/wire/origin.ts";
import { readMessageRequest, readPromptRequest, type ImageRequest } from "./image-request.ts";
import { imageTasks } from "./image-tasks.ts";
import { inspectionFailed, NativeError } from "./native.ts";

export const GENERATION_PATH = "/api/v1/services/aigc/multimodal-generation/generation";
export const SYNTHESIS_PATH = "/api/v1/services/aigc/text2image/image-synthesis";
export const TASK_PATH = /^\/api\/v1\/tasks\/([\w-]{1,64})$/;

/** Qwen's pictures: at once, or as tasks. Throws `NativeError` at what the vendor refuses. */
export interface QwenImages {
  generate(request: VendorRequest): JsonObject;
  submit(request: VendorRequest, key: string): JsonObject;
  task(request: VendorRequest, key: string, id: string): JsonObject;
}

export function qwenImages(links: PictureLinks, now: () => number): QwenImages {
  const tasks = imageTasks(now);

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

    submit(request, key) {
      if (!isAsync(request)) throw unsupported("synchronous");
      const asked = readPromptRequest(request);
      const { prompt, isExtended } = asked;
      const origin = originOf(request);
      const output = tasks.submit(key, () =>
        drawingsOf(asked).map((drawing) => ({
          orig_prompt: prompt,
          ...(isExtended ? { actual_prompt: extended(prompt) } : {}),
          url: links.keep(drawing, origin),
        })),
      );
      return { output };
    },

    task(request, key, id) {
      const { output, imageCount } = tasks.get(key, id);
      const usage = imageCount === undefined ? {} : usageOf({ image_count: imageCount }, request);
      return { output, ...usage };
    },
  };
}

function isAsync({ headers }: VendorRequest): boolean {
  return headers["x-dashscope-async"] === "enable";
}

function unsupported(kind: string): NativeError {
  const message = `current user api does not support ${kind} calls`;
  return new NativeError(403, "AccessDenied", message);
}

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

/** What the model makes of a prompt that it may make longer. */
function extended(prompt: string): string {
  return `${prompt} The light is soft, and every detail is sharp.`;
}
