import { describe, expect, test } from "bun:test";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { ImageEvent, ImageRequest } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { arkImages } from "./index.ts";

const QUESTION: ImageRequest = {
  model: "m",
  task: "generate",
  turns: [{ role: "user", parts: ["A fox"] }],
  stream: false,
};
const { build, parse, parseError, openDecoder } = arkImages.outbound;

const made = { url: "https://tos.example/1.jpeg", size: "2048x2048" };
const blocked = {
  error: { code: "OutputImageSensitiveContentDetected", message: "It may be sensitive." },
};
const usage = { generated_images: 1, output_tokens: 16_384, total_tokens: 16_384 };

function failureOf(act: () => unknown): string {
  try {
    act();
  } catch (cause) {
    if (cause instanceof GatewayError) return `${cause.code}: ${cause.message}`;
    throw cause;
  }
  return "";
}

const read = (body: JsonObject) => parse({ created: 1_754_000_000, usage, ...body }, QUESTION);

describe("an image response", () => {
  test("[A2.9] has links or images, a time, and usage", () => {
    expect(read({ data: [made, { b64_json: "aGk=", size: "1024x1024" }] })).toMatchObject({
      pictures: [
        { url: made.url, size: "2048x2048" },
        { base64: "aGk=", size: "1024x1024" },
      ],
      failures: [],
      createdAt: 1_754_000_000,
      usage: { inputTokens: 0, outputTokens: 16_384, isEstimated: false },
    });
  });

  test("counts its input images, if the vendor counts them", () => {
    const more = { output_tokens: 16_384, total_tokens: 17_000 };

    expect(read({ data: [made], usage: more }).usage).toMatchObject({ inputTokens: 616 });
    expect(read({ data: [made], usage: null }).usage).toBeUndefined();
    expect(read({ data: [made], usage: { output_tokens: -1 } }).usage).toBeUndefined();
  });

  test("keeps the completed images if others failed", () => {
    expect(read({ data: [made, blocked] })).toMatchObject({
      pictures: [{ url: made.url }],
      failures: [{ code: "content_filtered", message: "It may be sensitive." }],
    });
  });

  test.each<[string, JsonObject, string]>([
    ["all of it failed", { data: [blocked, blocked] }, "content_filtered: It may be sensitive."],
    ["it is a failure with a success status", blocked, "content_filtered: It may be sensitive."],
    ["it holds nothing", { data: [] }, "upstream_failed: The upstream's answer has no image."],
    [
      "it contains an invalid image",
      { data: [{ url: "" }, 5] },
      "upstream_failed: The upstream's answer has no image.",
    ],
    ["it has no list", { data: null }, "upstream_failed: The upstream's answer has no image."],
  ])("is refused if %s", (_what, body, failure) => {
    expect(failureOf(() => read(body))).toBe(failure);
  });
});

describe("a failure is translated", () => {
  test.each<[number, string, FaultCode]>([
    [400, "InputTextSensitiveContentDetected", "content_filtered"],
    [400, "InputImageSensitiveContentDetected", "content_filtered"],
    [400, "OutputImageSensitiveContentDetected", "content_filtered"],
    [400, "SensitiveContentDetected.SevereViolation", "content_filtered"],
    [400, "MissingParameter", "upstream_rejected"],
    [400, "InvalidParameter.UnsupportedModel", "upstream_rejected"],
    [400, "InvalidImageURL.InvalidFormat", "upstream_rejected"],
    [401, "AuthenticationError", "upstream_auth"],
    [403, "AccessDenied", "upstream_refused"],
    [403, "AccountOverdueError", "upstream_auth"],
    [403, "OperationDenied.PermissionDenied", "upstream_refused"],
    [404, "InvalidEndpointOrModel.NotFound", "upstream_model_missing"],
    [404, "ModelNotOpen", "upstream_model_missing"],
    [429, "RateLimitExceeded.EndpointRPMExceeded", "upstream_rate_limited"],
    [429, "QuotaExceeded", "upstream_rate_limited"],
    [429, "ServerOverloaded", "upstream_overloaded"],
    [500, "InternalServiceError", "upstream_failed"],
  ])("%d %s, as a whole and of one image", (status, code, expected) => {
    const body = { error: { code, message: "Why not.", param: "size", type: "BadRequest" } };

    expect(parseError(status, JSON.stringify(body))).toMatchObject({ code: expected });
    expect(read({ data: [made, body] }).failures).toMatchObject([{ code: expected }]);
  });

  test("with the name of the invalid field", () => {
    const error = { code: "InvalidParameter", message: "It is too large.", param: "size" };

    expect(parseError(400, JSON.stringify({ error }))).toMatchObject({
      code: "upstream_rejected",
      message: "It is too large.",
      param: "size",
    });
  });
});

type SaidError = readonly [name: string, members: JsonObject];

/** What a stream says, event by event. */
function decoded(...events: readonly SaidError[]) {
  const decoder = openDecoder?.({ ...QUESTION, stream: true });
  if (decoder === undefined) throw new Error("There is no decoder.");
  const seen: ImageEvent[] = events.flatMap(([name, members]) => [
    ...decoder.read(name === "" ? { data: "[DONE]" } : { event: name, data: wire(name, members) }),
  ]);
  return { seen, isOver: decoder.isOver };
}

const wire = (type: string, members: JsonObject): string => JSON.stringify({ type, ...members });

const SUCCEEDED = "image_generation.partial_succeeded";
const FAILED = "image_generation.partial_failed";
const COMPLETED = "image_generation.completed";
const at = (index: number, members: Record<string, Json>) => ({ image_index: index, ...members });

describe("an image stream", () => {
  test("delivers each image of a set as it arrives, and the usage at its end", () => {
    const { seen, isOver } = decoded(
      [SUCCEEDED, at(0, made)],
      [FAILED, at(1, blocked)],
      [SUCCEEDED, at(2, { b64_json: "aGk=", size: "1024x1024" })],
      [COMPLETED, { usage }],
      ["", {}],
    );

    expect(seen).toMatchObject([
      { type: "picture", index: 0, picture: { url: made.url, size: "2048x2048" } },
      { type: "failed", index: 1, error: { code: "content_filtered" } },
      { type: "picture", index: 2, picture: { base64: "aGk=" } },
      { type: "end", usage: { outputTokens: 16_384 } },
    ]);
    expect(isOver).toBe(true);
  });

  test("numbers its images if the vendor does not", () => {
    const { seen } = decoded([SUCCEEDED, made], [FAILED, blocked], [SUCCEEDED, made]);

    expect(seen).toMatchObject([{ index: 0 }, { index: 1 }, { index: 2 }]);
  });

  test("delivers partial images, if a model has them", () => {
    const { seen } = decoded([
      "image_generation.partial_image",
      at(0, { partial_image_index: 1, b64_json: "aGk=" }),
    ]);

    expect(seen).toEqual([{ type: "partial", index: 0, step: 1, picture: { base64: "aGk=" } }]);
  });

  test("ends at either of its end marks, and not before", () => {
    expect(decoded([SUCCEEDED, made]).isOver).toBe(false);
    expect(decoded([SUCCEEDED, made], [COMPLETED, { usage }]).isOver).toBe(true);
    expect(decoded([SUCCEEDED, made], ["", {}])).toMatchObject({
      isOver: true,
      seen: [{ type: "picture" }, { type: "end" }],
    });
  });

  test("ignores unknown events", () => {
    expect(decoded(["image_generation.tomorrow", { a: 1 }])).toEqual({ seen: [], isOver: false });
  });

  test.each<[string, readonly SaidError[], string]>([
    [
      "every image failed",
      [
        [FAILED, blocked],
        [COMPLETED, { usage }],
      ],
      "content_filtered: It may be sensitive.",
    ],
    [
      "the vendor gives up",
      [["error", { error: { code: "InternalServiceError", message: "Sorry." } }]],
      "upstream_failed: Sorry.",
    ],
    [
      "an image is invalid",
      [[SUCCEEDED, { url: "" }]],
      "upstream_failed: The upstream's answer has no image.",
    ],
  ])("fails if %s", (_what, events, failure) => {
    expect(failureOf(() => decoded(...events))).toBe(failure);
  });
});

test("an image request without a prompt, or with a mask, is refused", () => {
  const report = new LossReport();
  const mask = { kind: "url", url: "https://pictures.example/mask.png" } as const;

  expect(failureOf(() => build({ ...QUESTION, turns: [] }, { report, model: {} }))).toBe(
    "invalid_request: 'prompt' is required for this model.",
  );
  expect(failureOf(() => build({ ...QUESTION, mask }, { report, model: {} }))).toBe(
    "not_carried: 'mask' cannot be carried: this model does not support masks.",
  );
});
