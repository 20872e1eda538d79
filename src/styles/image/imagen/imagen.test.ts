import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { JsonObject } from "#lib/json.ts";
import { gateway } from "#styles/image/gateway/index.ts";
import type { ImagenDialect } from "./dialect.ts";
import { predict } from "./index.ts";

const DEFAULT_DIALECT: ImagenDialect = { sizes: ["1K", "2K"], sizeMember: "imageSize" };
const MORE: ImagenDialect = { ...DEFAULT_DIALECT, sizeMember: "sampleImageSize", takesMore: true };

function questionOf(body: JsonObject) {
  return gateway.inbound.read({ model: "m", prompt: "A fox", ...body }, {});
}

function built(options: JsonObject, dialect = DEFAULT_DIALECT) {
  const report = new LossReport();
  const body = predict.outbound.build(questionOf(options), {
    report,
    model: {},
    dialect: { ...dialect },
  });
  return { body: JSON.parse(JSON.stringify(body)) as JsonObject, lost: report.fields };
}

function refusalOf(act: () => unknown): GatewayError {
  try {
    act();
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("Nothing was refused.");
}

describe("[A4.11-b] an option becomes a parameter:", () => {
  const USUAL = { sampleCount: 1, imageSize: "1K" };
  test.each<[JsonObject, JsonObject]>([
    [{}, USUAL],
    [{ n: 3 }, { ...USUAL, sampleCount: 3 }],
    [{ sample_count: 4 }, { ...USUAL, sampleCount: 4 }],
    [{ aspect_ratio: "9:16" }, { ...USUAL, aspectRatio: "9:16" }],
    [{ size: "1024x1024" }, { ...USUAL, aspectRatio: "1:1" }],
    [{ size: "1792x1024" }, { ...USUAL, aspectRatio: "16:9" }],
    [{ size: "1536x1024" }, { ...USUAL, aspectRatio: "4:3" }],
    [{ quality: "hd" }, { ...USUAL, imageSize: "2K" }],
    [{ image_size: "2K" }, { ...USUAL, imageSize: "2K" }],
    [{ person_generation: "ALLOW_ADULT" }, { ...USUAL, personGeneration: "allow_adult" }],
  ])("%j", (options, parameters) => {
    expect(built(options)).toEqual({
      body: { instances: [{ prompt: "A fox" }], parameters },
      lost: [],
    });
  });
});

test("a service with more parameters gets more", () => {
  const options = {
    negative_prompt: "dogs",
    seed: 7,
    prompt_extend: false,
    guidance_scale: 2,
    mime_type: "image/jpeg",
    output_compression: 70,
    image_size: "2K",
  };

  expect(built(options, MORE)).toEqual({
    body: {
      instances: [{ prompt: "A fox" }],
      parameters: {
        sampleCount: 1,
        sampleImageSize: "2K",
        negativePrompt: "dogs",
        seed: 7,
        addWatermark: false,
        enhancePrompt: false,
        guidanceScale: 2,
        includeRaiReason: true,
        outputOptions: { mimeType: "image/jpeg", compressionQuality: 70 },
      },
    },
    lost: [],
  });
  expect(built(options).lost).toEqual([
    "output_compression",
    "guidance_scale",
    "negative_prompt",
    "seed",
    "prompt_extend",
  ]);
});

test("a conversation is joined to one prompt", () => {
  const contents = [
    { role: "user", parts: [{ text: "A fox" }] },
    { role: "user", parts: [{ text: "In red" }] },
  ];

  expect(built({ prompt: null, contents }).body["instances"]).toEqual([
    { prompt: "A fox\nIn red" },
  ]);
});

describe("unsupported options of these models are refused with the supported ones:", () => {
  test.each<[JsonObject, string, string]>([
    [{ aspect_ratio: "21:9" }, "aspect_ratio", "1:1, 3:4, 4:3, 9:16, 16:9"],
    [{ size: "2:3" }, "size", "1:1, 3:4, 4:3, 9:16, 16:9"],
    [{ image_size: "4K" }, "image_size", "1K, 2K"],
    [{ quality: "best" }, "quality", "hd, high"],
    [{ person_generation: "some" }, "person_generation", "dont_allow, allow_adult, allow_all"],
    [{ image: "AAAA" }, "image", "only text"],
  ])("%j", (options, param, allowed) => {
    const error = refusalOf(() => built(options));

    expect(error).toMatchObject({ code: "invalid_request", param });
    expect(error.message).toContain(`'${param}'`);
    expect(error.message).toContain(allowed);
  });
});

test("options for text generation are reported", () => {
  expect(built({ temperature: 1, top_p: 0.5, max_tokens: 9 }).lost).toEqual([
    "max_output_tokens",
    "temperature",
    "top_p",
  ]);
});

const parse = (body: JsonObject) => predict.outbound.parse(body, questionOf({}));
const DRAWN = { mimeType: "image/png", bytesBase64Encoded: "AAAA" };

describe("an image response", () => {
  test("has its images, and the reason for missing ones", () => {
    const filtered = { raiFilteredReason: "It shows what it may not." };

    expect(parse({ predictions: [DRAWN, filtered, { ...DRAWN, prompt: "A red fox" }] })).toEqual({
      pictures: [
        { base64: "AAAA", mediaType: "image/png" },
        { base64: "AAAA", mediaType: "image/png", revisedPrompt: "A red fox" },
      ],
      failures: [{ code: "content_filtered", message: "It shows what it may not." }],
    });
  });

  test.each<[string, JsonObject, string]>([
    ["reasons alone", { predictions: [{ raiFilteredReason: "No." }] }, "content_filtered"],
    ["no prediction", { predictions: [] }, "content_filtered"],
    ["nothing at all", {}, "content_filtered"],
    ["something else", { model: "m" }, "upstream_failed"],
    [
      "a failure inside a success",
      { error: { code: 503, message: "Later.", status: "UNAVAILABLE" } },
      "upstream_overloaded",
    ],
  ])("of %s is a failure", (_, body, code) => {
    expect(refusalOf(() => parse(body)).code).toBe(code as GatewayError["code"]);
  });
});
