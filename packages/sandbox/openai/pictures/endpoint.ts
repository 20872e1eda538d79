import { isRefused } from "@sluice/sandbox/engine/refused-pictures.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import { reportedUsage } from "@sluice/sandbox/faults/usage-faults.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "../error.ts";
import { only } from "../routing.ts";
import type { PictureLinks } from "@sluice/sandbox/picture-links.ts";
import type { VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { Frame } from "@sluice/sandbox/wire/frame.ts";
import { originOf } from "@sluice/sandbox/wire/origin.ts";
import { eventsReply, jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { drawing, drawn } from "./drawn.ts";
import { readEdit, readGeneration, readVariation } from "./read-request.ts";
import type { PictureRequest } from "./request.ts";
import { madeTokens, pictureUsage } from "./usage.ts";

type Headers = Readonly<Record<string, string>>;

/** https://platform.openai.com/docs/api-reference/images; nothing for other paths. */
export function picturesEndpoint(links: PictureLinks, now: () => number) {
  return (call: VendorRequest, headers: Headers): Promise<Reply> | undefined => {
    const read = READERS[call.path];
    if (read === undefined) return undefined;
    return only("POST", call, async () => {
      const request = await read(call);
      if (isRefused(request.prompt)) throw refusal(request);
      const making = { request, call, created: Math.floor(now() / 1_000) };
      return request.isStream
        ? eventsReply(await eventsOf(making), headers)
        : jsonReply(200, await bodyOf(making, links), headers, tokensOf(request));
    });
  };
}

type Reader = (call: VendorRequest) => PictureRequest | Promise<PictureRequest>;

const READERS: Readonly<Record<string, Reader>> = {
  "/v1/images/generations": readGeneration,
  "/v1/images/edits": readEdit,
  "/v1/images/variations": readVariation,
};

interface Making {
  readonly request: PictureRequest;
  readonly call: VendorRequest;
  /** In seconds. */
  readonly created: number;
}

async function bodyOf({ request, call, created }: Making, links: PictureLinks) {
  const { count, asLink, model } = request;
  const data: JsonObject[] = [];
  for (let index = 0; index < count; index++) {
    const place = asLink
      ? { url: links.keep(drawing(request, index), originOf(call)) }
      : { b64_json: await drawn(request, index) };
    data.push({ ...revision(request), ...place });
  }
  if (!model.isByTokens) return { created, data };
  const usage = reportedUsage(pictureUsage(request, count, 0), call.faults);
  return { created, data, ...lookOf(request), ...(usage === undefined ? {} : { usage }) };
}

function lookOf({ background, format, quality, size }: PictureRequest): JsonObject {
  return {
    background,
    output_format: format,
    quality,
    size: `${size.width}x${size.height}`,
  };
}

/** One of the models expands the prompt. */
function revision({ model, prompt }: PictureRequest): JsonObject {
  return model.fields.includes("style")
    ? { revised_prompt: `A detailed picture of this: ${withoutMagicWords(prompt)}` }
    : {};
}

/** All are drawn before the first leaves: an encoder takes turns of its own, and events wait for nobody. */
async function eventsOf({ request, call, created }: Making): Promise<readonly Frame[]> {
  const { count, partialCount } = request;
  const frames: Frame[] = [];
  const event = (name: string, fields: JsonObject, kind: Frame["kind"], tokens: number) => {
    const type = `${request.kind === "edit" ? "image_edit" : "image_generation"}.${name}`;
    const data = { type, created_at: created, ...lookOf(request), ...fields };
    frames.push({ kind, event: type, data: JSON.stringify(data), tokens });
  };
  for (let index = 0; index < count; index++) {
    for (let partial = 0; partial < partialCount; partial++) {
      const fields = {
        b64_json: await drawn(request, index, partial),
        partial_image_index: partial,
      };
      event("partial_image", fields, "delta", 0);
    }
    const isLast = index === count - 1;
    const usage = reportedUsage(shareOf(request, index), call.faults);
    const fields = {
      b64_json: await drawn(request, index),
      ...(usage === undefined ? {} : { usage }),
    };
    event("completed", fields, isLast ? "finish" : "delta", madeTokens(request));
  }
  return frames;
}

/** Each picture comes with what it cost; what was given is counted with the first. */
function shareOf(request: PictureRequest, index: number): JsonObject {
  const { partialCount } = request;
  return index === 0
    ? pictureUsage(request, 1, partialCount)
    : pictureUsage({ ...request, given: [], prompt: "" }, 1, partialCount);
}

function tokensOf(request: PictureRequest): number {
  return request.model.isByTokens ? request.count * madeTokens(request) : 0;
}

function refusal({ model }: PictureRequest): ApiError {
  return new ApiError(400, {
    message: "Your request was rejected by the safety system.",
    ...(model.isByTokens
      ? { type: "image_generation_user_error", code: "moderation_blocked" }
      : { code: "content_policy_violation" }),
  });
}
