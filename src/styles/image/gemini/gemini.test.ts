import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { ImageRequest, ImageTurn, Picture } from "#core/image.ts";
import { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { gateway } from "#styles/image/gateway/index.ts";
import { RATIOS, type PictureDialect } from "./dialect.ts";
import { generateContent } from "./index.ts";

/** One that draws in several sizes, where all can be told that callers may wish. */
const LARGE: PictureDialect = {
  ratios: RATIOS,
  sizes: ["1K", "2K", "4K"],
  people: { allow_adult: "ALLOW_ADULT", allow_none: "ALLOW_NONE" },
  formats: ["png", "jpeg"],
};
/** One that draws in one size, where nothing else can be told. */
const SMALL: PictureDialect = { ratios: RATIOS, sizes: [] };

const PICTURE: Picture = { kind: "base64", base64: "AAAA", mediaType: "image/png" };
const INLINE = { inlineData: { mimeType: "image/png", data: "AAAA" } };

function questionOf(body: JsonObject): ImageRequest {
  return gateway.inbound.read({ model: "m", prompt: "A fox", ...body }, {});
}

function built(question: ImageRequest, dialect = LARGE, model: ModelTraits = {}) {
  const report = new LossReport();
  const body = generateContent.outbound.build(question, {
    report,
    model,
    dialect: { ...dialect },
  });
  return { body: JSON.parse(JSON.stringify(body)) as JsonObject, lost: report.fields };
}

function ofTurns(turns: readonly ImageTurn[]): ImageRequest {
  return { model: "m", task: "edit", turns, stream: false };
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

const DEFAULTS = { responseModalities: ["IMAGE"], topP: 0.95, maxOutputTokens: 32_768 };

test("[A4.11-b] a prompt alone is sent with the family's defaults", () => {
  expect(built(questionOf({}))).toEqual({
    body: {
      contents: [{ role: "user", parts: [{ text: "A fox" }] }],
      generationConfig: { ...DEFAULTS, imageConfig: { imageSize: "1K" } },
    },
    lost: [],
  });
  expect(built(questionOf({}), SMALL).body["generationConfig"]).toEqual(DEFAULTS);
});

describe("[A4.11-b] an option is translated to the vendor's fields:", () => {
  test.each<[JsonObject, JsonObject]>([
    ...RATIOS.map((ratio): [JsonObject, JsonObject] => [{ size: ratio }, { aspectRatio: ratio }]),
    [{ aspect_ratio: "21:9" }, { aspectRatio: "21:9" }],
    ...(
      [
        ["1024x1024", "1:1"],
        ["1536x1024", "3:2"],
        ["1024x1536", "2:3"],
        ["1536x2048", "3:4"],
        ["2048x1536", "4:3"],
        ["1024x1280", "4:5"],
        ["1280x1024", "5:4"],
        ["1024x1792", "9:16"],
        ["1792x1024", "16:9"],
        ["1920x1080", "16:9"],
        ["2520x1080", "21:9"],
        ["1536x672", "21:9"],
        ["1000*1010", "1:1"],
        ["8000x100", "21:9"],
      ] as const
    ).map(([size, ratio]): [JsonObject, JsonObject] => [{ size }, { aspectRatio: ratio }]),
    [{ size: "auto" }, {}],
    ...["hd", "high", "2K"].map((quality): [JsonObject, JsonObject] => [
      { quality },
      { imageSize: "2K" },
    ]),
    ...["standard", "medium", "low", "auto", "1K"].map((quality): [JsonObject, JsonObject] => [
      { quality },
      { imageSize: "1K" },
    ]),
    ...["1K", "2K", "4K"].map((size): [JsonObject, JsonObject] => [
      { image_size: size },
      { imageSize: size },
    ]),
    [{ image_size: "4k", quality: "low" }, { imageSize: "4K" }],
    [{ person_generation: "allow_adult" }, { personGeneration: "ALLOW_ADULT" }],
    [
      { mime_type: "image/jpeg", output_compression: 80 },
      { imageOutputOptions: { mimeType: "image/jpeg", compressionQuality: 80 } },
    ],
    [{ mime_type: "image/png" }, { imageOutputOptions: { mimeType: "image/png" } }],
  ])("%j", (options, expected) => {
    expect(built(questionOf(options))).toEqual({
      body: {
        contents: [{ role: "user", parts: [{ text: "A fox" }] }],
        generationConfig: { ...DEFAULTS, imageConfig: { imageSize: "1K", ...expected } },
      },
      lost: [],
    });
  });

  test.each<[JsonObject, JsonObject]>([
    [{ max_output_tokens: 5 }, { maxOutputTokens: 5 }],
    [{ max_tokens: 6 }, { maxOutputTokens: 6 }],
    [{ maxOutputTokens: 7 }, { maxOutputTokens: 7 }],
    [{ temperature: 0 }, { temperature: 0 }],
    [{ top_p: 0 }, { topP: 0 }],
    [{ response_modalities: "image" }, {}],
    [{ response_modalities: "image-text" }, { responseModalities: ["TEXT", "IMAGE"] }],
  ])("%j", (options, expected) => {
    expect(built(questionOf(options), SMALL)).toEqual({
      body: {
        contents: [{ role: "user", parts: [{ text: "A fox" }] }],
        generationConfig: { ...DEFAULTS, ...expected },
      },
      lost: [],
    });
  });
});

test("an output limit is lowered to the model's maximum, with a report", () => {
  const model = { maxOutputTokens: 8_192 };

  expect(built(questionOf({}), SMALL, model)).toMatchObject({
    body: { generationConfig: { maxOutputTokens: 8_192 } },
    lost: [],
  });
  expect(built(questionOf({ max_tokens: 10_000 }), SMALL, model)).toMatchObject({
    body: { generationConfig: { maxOutputTokens: 8_192 } },
    lost: ["max_output_tokens"],
  });
});

describe("[A4.11-b] options that the family does not support are refused with the supported ones:", () => {
  test.each<[JsonObject, string, string]>([
    [{ size: "7:5" }, "size", "1:1, 3:2, 2:3, 3:4, 4:3, 4:5, 5:4, 9:16, 16:9, 21:9"],
    [{ size: "2K" }, "size", "1:1, 3:2"],
    [{ size: "0x1024" }, "size", "1:1, 3:2"],
    [{ aspect_ratio: "wide" }, "aspect_ratio", "1:1, 3:2"],
    [{ quality: "best" }, "quality", "hd, high, 2K, standard, medium, low, auto, 1K"],
    [{ image_size: "8K" }, "image_size", "1K, 2K, 4K"],
    [{ person_generation: "everybody" }, "person_generation", "allow_adult, allow_none"],
    [{ mime_type: "image/gif" }, "mime_type", "image/png"],
    [{ response_modalities: "text" }, "response_modalities", "image"],
    [{ temperature: 3 }, "temperature", "2"],
    [{ top_p: 1.5 }, "top_p", "1"],
    [{ max_tokens: 0 }, "max_tokens", "1"],
    [{ n: 0 }, "n", "1"],
  ])("%j", (options, param, allowed) => {
    const error = refusalOf(() => built(questionOf(options)));

    expect(error).toMatchObject({ code: "invalid_request", param });
    expect(error.message).toContain(`'${param}'`);
    expect(error.message).toContain(allowed);
  });

  test("an option for people that the model does not support", () => {
    const error = refusalOf(() => built(questionOf({ person_generation: "dont_allow" }), SMALL));

    expect(error).toMatchObject({ param: "person_generation" });
    expect(error.message).toContain("allow_adult");
  });

  test("a mask, and a file of another vendor", () => {
    const mask = { ...questionOf({ image: "AAAA" }), mask: PICTURE };
    const file = ofTurns([{ role: "user", parts: [{ kind: "reference", id: "file-1" }, "a"] }]);

    expect(refusalOf(() => built(mask))).toMatchObject({ code: "not_carried", param: "mask" });
    expect(refusalOf(() => built(file)).param).toBe("image");
  });
});

test("[A4.11-b] a ratio takes precedence over a size of another shape, which is reported", () => {
  expect(built(questionOf({ size: "1024x1024", aspect_ratio: "16:9" }))).toMatchObject({
    body: { generationConfig: { imageConfig: { aspectRatio: "16:9" } } },
    lost: ["size"],
  });
  expect(built(questionOf({ size: "1920x1080", aspect_ratio: "16:9" })).lost).toEqual([]);
});

test("[A4.11-b] a model of one size gets no size, and another requested size is reported as lost", () => {
  const lostOf = (options: JsonObject) => {
    const { body, lost } = built(questionOf(options), SMALL);
    expect(JSON.stringify(body)).not.toContain("imageSize");
    return lost;
  };

  expect(lostOf({ image_size: "1K" })).toEqual([]);
  expect(lostOf({ quality: "standard" })).toEqual([]);
  expect(lostOf({ image_size: "4K" })).toEqual(["image_size"]);
  expect(lostOf({ quality: "hd" })).toEqual(["quality"]);
});

test("fields of other families are reported by the client's name", () => {
  const others = {
    style: "vivid",
    background: "transparent",
    moderation: "low",
    input_fidelity: "high",
    guidance_scale: 3,
    negative_prompt: "dogs",
    seed: 0,
    watermark: true,
    prompt_extend: true,
    optimize_prompt_options: { mode: "fast" },
    sequential_image_generation: "auto",
    user: "u",
    partial_images: 2,
    something_new: 1,
  };

  expect(built(questionOf(others)).lost.toSorted()).toEqual(
    Object.keys(others).toSorted((one, other) => (one < other ? -1 : 1)),
  );
});

test("a value without effect is not reported, nor is the delivery format", () => {
  const nothing = {
    background: "auto",
    moderation: "auto",
    sequential_image_generation: "disabled",
    partial_images: 0,
    response_format: "url",
  };

  expect(built(questionOf(nothing)).lost).toEqual([]);
});

describe("[A4.11-b] input", () => {
  const data = "data:image/png;base64,AAAA";

  test("one image is edited, up to five are combined", () => {
    const one = built(questionOf({ image: data })).body["contents"];
    const five = built(questionOf({ images: Array(5).fill(data) })).body["contents"];

    expect(one).toEqual([{ role: "user", parts: [INLINE, { text: "A fox" }] }]);
    expect(five).toEqual([
      { role: "user", parts: [...Array<Json>(5).fill(INLINE), { text: "A fox" }] },
    ]);
  });

  test.each<[string, JsonObject]>([
    ["as images", { images: Array(6).fill(data) }],
    ["in a turn", { contents: [{ role: "user", parts: Array(6).fill({ image: data }) }] }],
  ])("six images %s are refused", (_, given) => {
    const error = refusalOf(() => built(questionOf({ prompt: null, ...given })));

    expect(error).toMatchObject({ code: "invalid_request", param: "image" });
    expect(error.message).toContain("2 to 5");
  });

  test("turns keep their roles, including the model's images", () => {
    const contents = [
      { role: "user", parts: [{ text: "A fox" }] },
      { role: "model", parts: [{ text: "Here:" }, { image: data }] },
      { role: "user", parts: [{ text: "Now in red" }] },
    ];

    expect(built(questionOf({ prompt: "And larger", contents })).body["contents"]).toEqual([
      { role: "user", parts: [{ text: "A fox" }] },
      { role: "model", parts: [{ text: "Here:" }, INLINE] },
      { role: "user", parts: [{ text: "Now in red" }, { text: "And larger" }] },
    ]);
  });

  test("a model that requires signatures on its turns gets them as the user's", () => {
    const turns: ImageTurn[] = [
      { role: "user", parts: ["A fox"] },
      { role: "model", parts: [PICTURE] },
      { role: "user", parts: ["Now in red"] },
    ];

    expect(built(ofTurns(turns), { ...LARGE, provesTurns: true }).body["contents"]).toEqual([
      { role: "user", parts: [{ text: "A fox" }, INLINE, { text: "Now in red" }] },
    ]);
  });

  test("bytes are sent as base64, and a link that was not downloaded stays a link", () => {
    const parts: ImageTurn["parts"] = [
      { kind: "bytes", bytes: new Uint8Array(3), mediaType: "image/webp" },
      { kind: "url", url: "https://a.example/b.png" },
    ];

    expect(built(ofTurns([{ role: "user", parts }])).body["contents"]).toEqual([
      {
        role: "user",
        parts: [
          { inlineData: { mimeType: "image/webp", data: "AAAA" } },
          { fileData: { fileUri: "https://a.example/b.png" } },
        ],
      },
    ]);
  });
});

const parse = (body: JsonObject, options: JsonObject = {}) =>
  generateContent.outbound.parse(body, questionOf(options));

const candidate = (more: JsonObject, ...parts: Json[]): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", ...more }],
});

describe("an image response", () => {
  test("[A4.11-b] has the final image, without intermediate ones", () => {
    const draft = { inlineData: { mimeType: "image/png", data: "DRAFT" }, thought: true };
    const answer = {
      ...candidate({}, { text: "Hm.", thought: true }, draft, { text: "There: " }, INLINE),
      createTime: "2026-01-01T00:00:00.5Z",
      usageMetadata: {
        promptTokenCount: 9,
        candidatesTokenCount: 1_295,
        thoughtsTokenCount: 5,
        totalTokenCount: 1_309,
      },
    };

    expect(parse(answer)).toMatchObject({
      pictures: [{ base64: "AAAA", mediaType: "image/png" }],
      createdAt: 1_767_225_600,
      usage: {
        inputTokens: 9,
        outputTokens: 1_300,
        reasoningTokens: 5,
        imageOutputTokens: 1_295,
        isEstimated: false,
      },
    });
    expect(parse(answer).pictures[0]).not.toHaveProperty("revisedPrompt");
  });

  test("[A4.11-b] has the text beside the image for clients that requested it", () => {
    const answer = candidate({}, { text: "Here " }, { text: "it is." }, INLINE);

    expect(parse(answer, { response_modalities: "image-text" }).pictures).toEqual([
      { base64: "AAAA", mediaType: "image/png", revisedPrompt: "Here it is." },
    ]);
  });

  test.each<[string, JsonObject, string, string]>([
    [
      "a refused prompt",
      { promptFeedback: { blockReason: "SAFETY" } },
      "content_filtered",
      "SAFETY",
    ],
    [
      "IMAGE_SAFETY",
      candidate({ finishReason: "IMAGE_SAFETY" }),
      "content_filtered",
      "IMAGE_SAFETY",
    ],
    [
      "IMAGE_PROHIBITED_CONTENT",
      candidate({ finishReason: "IMAGE_PROHIBITED_CONTENT", finishMessage: "Not this." }),
      "content_filtered",
      "Not this.",
    ],
    [
      "PROHIBITED_CONTENT",
      candidate({ finishReason: "PROHIBITED_CONTENT" }),
      "content_filtered",
      "",
    ],
    ["RECITATION", candidate({ finishReason: "RECITATION" }), "content_filtered", ""],
    ["NO_IMAGE", candidate({ finishReason: "NO_IMAGE" }), "upstream_rejected", "NO_IMAGE"],
    [
      "too few tokens",
      candidate({ finishReason: "MAX_TOKENS" }),
      "upstream_rejected",
      "MAX_TOKENS",
    ],
    ["words alone", candidate({}, { text: "I will not." }), "upstream_rejected", "I will not."],
    [
      "nothing but a draft",
      candidate({}, { ...INLINE, thought: true }),
      "upstream_rejected",
      "STOP",
    ],
    ["no candidate", {}, "upstream_failed", "no image"],
    ["an end without a reason", { candidates: [{}] }, "upstream_failed", "no image"],
    [
      "a failure inside a success",
      { error: { code: 429, message: "Slow down.", status: "RESOURCE_EXHAUSTED" } },
      "upstream_rate_limited",
      "Slow down.",
    ],
  ])("of %s is a failure", (_, body, code, said) => {
    const error = refusalOf(() => parse(body));

    expect(error.code).toBe(code as GatewayError["code"]);
    expect(error.message).toContain(said);
  });
});
