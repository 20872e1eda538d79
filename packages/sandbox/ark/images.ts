import { draw, type Drawing } from "../engine/drawing.ts";
import { isFailed, isRefused } from "../engine/refused-pictures.ts";
import { reportedUsage } from "../faults/usage-faults.ts";
import type { JsonObject } from "../json.ts";
import { TERMINATOR } from "../openai/chunks.ts";
import { ApiError, type ErrorDetail } from "../openai/error.ts";
import type { PictureLinks } from "../picture-links.ts";
import type { VendorRequest } from "../vendor.ts";
import type { Frame } from "../wire/frame.ts";
import { originOf } from "../wire/origin.ts";
import { eventsReply, jsonReply, type Reply } from "../wire/reply.ts";
import { readImageRequest, type ImageRequest } from "./image-request.ts";

export const IMAGES_PATH = "/api/v3/images/generations";

/** Pictures by Seedream and SeedEdit, each of which may fail alone. */
export function imagesEndpoint(links: PictureLinks, now: () => number) {
  return (call: VendorRequest, headers: Readonly<Record<string, string>>): Reply => {
    const request = readImageRequest(call.body);
    if (isRefused(request.prompt)) throw new ApiError(400, SENSITIVE_TEXT);
    const making: Making = { request, call, links, created: Math.floor(now() / 1_000) };
    if (request.isStream) return eventsReply(eventsOf(making), headers);

    const made = Array.from({ length: request.count }, (_, index) => make(index, making));
    if (made.every(({ isShown }) => !isShown)) throw new ApiError(400, SENSITIVE_IMAGE);
    const usage = usageOf(made.filter(({ isShown }) => isShown).length, making);
    const data = made.map(({ entry }) => entry);
    const body = { model: request.model.id, created: making.created, data, ...usage };
    return jsonReply(200, body, headers, made.length * tokensOf(request));
  };
}

interface Making {
  readonly request: ImageRequest;
  readonly call: VendorRequest;
  readonly links: PictureLinks;
  /** In seconds. */
  readonly created: number;
}

/** Each picture when it is there, then what all of them cost. */
function* eventsOf(making: Making): Generator<Frame> {
  const { request, created } = making;
  const common = { model: request.model.id, created };
  let shown = 0;
  for (let index = 0; index < request.count; index++) {
    const { isShown, entry } = make(index, making);
    const event = `image_generation.partial_${isShown ? "succeeded" : "failed"}`;
    const data = JSON.stringify({ type: event, ...common, image_index: index, ...entry });
    if (isShown) shown++;
    yield { kind: "delta", event, data, tokens: isShown ? tokensOf(request) : 0 };
  }
  const event = "image_generation.completed";
  const data = JSON.stringify({ type: event, ...common, ...usageOf(shown, making) });
  yield { kind: "finish", event, data, tokens: 0 };
  yield TERMINATOR;
}

function make(index: number, { request, call, links }: Making): Made {
  const { prompt, given, size, count, form, isMarked } = request;
  if (isFailed(prompt, index)) {
    const { code = null, message } = SENSITIVE_IMAGE;
    return { isShown: false, entry: { error: { code, message } } };
  }
  const shown = count === 1 ? prompt : `${index + 1} of ${count}: ${prompt}`;
  const drawing: Drawing = { ...size, prompt: shown, given: given.length, isMarked };
  const place =
    form === "url"
      ? { url: links.keep(drawing, originOf(call)) }
      : { b64_json: Buffer.from(draw(drawing)).toString("base64") };
  return { isShown: true, entry: { ...place, size: `${size.width}x${size.height}` } };
}

interface Made {
  readonly isShown: boolean;
  readonly entry: JsonObject;
}

/** Failed images cost nothing. */
function usageOf(shown: number, { request, call }: Making): JsonObject {
  const tokens = shown * tokensOf(request);
  const usage = reportedUsage(
    { generated_images: shown, output_tokens: tokens, total_tokens: tokens },
    call.faults,
  );
  return usage === undefined ? {} : { usage };
}

function tokensOf({ size: { width, height } }: ImageRequest): number {
  return Math.floor((width * height) / PIXELS_PER_TOKEN);
}

const PIXELS_PER_TOKEN = 256;

const SENSITIVE_TEXT: ErrorDetail = {
  message: "The request failed because the input text may contain sensitive information.",
  type: "BadRequest",
  param: "prompt",
  code: "InputTextSensitiveContentDetected",
};
const SENSITIVE_IMAGE: ErrorDetail = {
  message: "The request failed because the output image may contain sensitive information.",
  type: "BadRequest",
  param: "",
  code: "OutputImageSensitiveContentDetected",
};
