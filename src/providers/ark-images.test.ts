import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "#lib/json.ts";
import { builtFor, refusalFor, rowFor } from "#test/built-pictures.ts";
import { ark } from "./ark.ts";

const V3 = "doubao-seedream-3-0-t2i-250415";
const EDIT = "doubao-seededit-3-0-i2i-250628";
const V4 = "doubao-seedream-4-0-250828";
const V4_5 = "doubao-seedream-4-5-251128";
const V5 = "doubao-seedream-5-0-260128";

const LINK = "https://pictures.example/fox.png";
const DATA = "data:image/png;base64,iVBORw0KGgo=";
const prompt = "A paper fox";

/** What the vendor gets beside the model's name and the prompt, by the only request. */
function sent(model: string, fields: JsonObject): JsonObject {
  const { bodies } = builtFor(ark, { model, prompt, ...fields });
  expect(bodies).toHaveLength(1);
  const { model: sentModel, prompt: sentPrompt, ...rest } = bodies[0] ?? {};
  expect([sentModel, sentPrompt]).toEqual([model, prompt]);
  return rest;
}

const lost = (model: string, fields: JsonObject) =>
  builtFor(ark, { model, prompt, ...fields }).lost;
const refusal = (model: string, fields: JsonObject) =>
  refusalFor(ark, { model, prompt, ...fields });

const UNMARKED = { watermark: false };

const SIZES_3 = "1024x1024 1152x864 864x1152 1280x720 720x1280 1248x832 832x1248 1512x648".split(
  " ",
);
const SIZES_2K =
  "2048x2048 2304x1728 1728x2304 2560x1440 1440x2560 2496x1664 1664x2496 3024x1296".split(" ");
const SIZES_4K =
  "4096x4096 4704x3520 3520x4704 5504x3040 3040x5504 4992x3328 3328x4992 6240x2656".split(" ");

describe("[A4.11-c] the size", () => {
  test.each<[string, readonly string[]]>([
    [V3, SIZES_3],
    [V4, [...SIZES_2K, ...SIZES_4K, "1K", "2K", "4K"]],
    [V4_5, [...SIZES_2K, ...SIZES_4K, "2K", "4K"]],
    [V5, ["2K", "3K", "2048x2048", "3072x3072"]],
  ])("of %s may be any in its table", (model, sizes) => {
    for (const size of sizes) expect(sent(model, { size })).toEqual({ ...UNMARKED, size });
  });

  test("of the edit model follows the image", () => {
    expect(sent(EDIT, { image: LINK, size: "adaptive" })).toEqual({
      ...UNMARKED,
      image: LINK,
      size: "adaptive",
    });
  });

  test.each<[string, string, string]>([
    [V3, "2048x2048", SIZES_3.join(", ")],
    [V3, "2K", SIZES_3.join(", ")],
    [V4, "1024x1024", [...SIZES_2K, ...SIZES_4K].join(", ")],
    [V4, "16:9", "1K, 2K, 4K"],
    [V4_5, "1K", "2K, 4K"],
    [V4_5, "1152x864", [...SIZES_2K, ...SIZES_4K].join(", ")],
    [V5, "1024x1024", "3686400 to 10404496 pixels"],
    [V5, "4K", "2K, 3K"],
  ])("of %s may not be %s, and the error lists the valid sizes", (model, size, allowed) => {
    const said = refusal(model, { size });

    expect(said).toStartWith("size: 'size' must be one of ");
    expect(said).toContain(allowed);
  });

  test("of the edit model may have no other value", () => {
    expect(refusal(EDIT, { image: LINK, size: "1024x1024" })).toBe(
      "size: 'size' must be adaptive.",
    );
  });

  test("is left to the model by default", () => {
    expect(sent(V4, {})).toEqual(UNMARKED);
    expect(sent(V4, { size: "auto" })).toEqual(UNMARKED);
  });

  test("may be written in upper or lower case", () => {
    expect(sent(V4, { size: "2k" })).toEqual({ ...UNMARKED, size: "2K" });
    expect(sent(V4, { size: "2048X2048" })).toEqual({ ...UNMARKED, size: "2048x2048" });
    expect(sent(V4, { size: "2048*2048" })).toEqual({ ...UNMARKED, size: "2048x2048" });
  });

  test("may be in another family's field, and is reported if the model does not support it", () => {
    expect(sent(V4, { image_size: "4K" })).toEqual({ ...UNMARKED, size: "4K" });
    expect(lost(V4, { image_size: "4K" })).toEqual([]);
    expect(lost(V4_5, { image_size: "1K" })).toEqual(["image_size"]);
    expect(lost(V3, { image_size: "1K" })).toEqual(["image_size"]);
    expect(lost(V4, { image_size: "1K", size: "4K" })).toEqual(["image_size"]);
  });
});

describe("[A4.11-c] input images", () => {
  test.each([V4, V4_5])("of %s are one or several", (model) => {
    expect(sent(model, { image: LINK })).toEqual({ ...UNMARKED, image: LINK });
    const image = [LINK, DATA, LINK, LINK, LINK];
    expect(sent(model, { image })).toEqual({ ...UNMARKED, image });
  });

  test("are a link, a data URI, or base64", () => {
    const [row] = [rowFor(ark, { model: V4, task: "edit", turns: [], stream: false })];

    expect(row.pictures).toEqual({
      inlines: false,
      types: ["image/jpeg", "image/png", "image/webp", "image/bmp", "image/tiff", "image/gif"],
    });
    expect(sent(EDIT, { image: DATA })).toEqual({ ...UNMARKED, image: DATA });
  });

  test("may be in `contents` between the texts", () => {
    const contents = [
      { role: "user", parts: [{ image: LINK }, { text: "Put it" }] },
      { role: "user", parts: [{ text: "on this." }, { image: DATA }] },
    ];

    expect(builtFor(ark, { model: V4, contents })).toEqual({
      bodies: [{ model: V4, prompt: "Put it\non this.", image: [LINK, DATA], watermark: false }],
      lost: [],
    });
  });

  test.each<[string, string, Json | undefined, string]>([
    ["3.0 accepts no image", V3, LINK, "'image' must be omitted: this model accepts only text."],
    [
      "the edit model needs one",
      EDIT,
      null,
      "The number of images in 'image' must be 1 for this model, not 0.",
    ],
    [
      "the edit model accepts one",
      EDIT,
      [LINK, LINK],
      "The number of images in 'image' must be 1 for this model, not 2.",
    ],
    [
      "[A8] five are the most that are melted into one",
      V4,
      [LINK, LINK, LINK, LINK, LINK, LINK],
      "The number of images in 'image' must be 0 to 5 for this model, not 6.",
    ],
    [
      "another vendor's storage cannot be read",
      V4,
      "oss://bucket/fox.png",
      "'image' cannot be carried: a stored file can be used only with the vendor that stores it.",
    ],
  ])("%s", (_what, model, image, message) => {
    expect(refusal(model, { image: image ?? null })).toBe(`image: ${message}`);
  });
});

describe("[A4.11-c] options that only some versions support", () => {
  test("a watermark is requested only if the client requests it", () => {
    expect(sent(V3, {})).toEqual({ watermark: false });
    expect(sent(V3, { watermark: true })).toEqual({ watermark: true });
  });

  test.each([V3, EDIT])("%s supports a seed and a guidance scale", (model) => {
    const image = model === EDIT ? { image: LINK } : {};
    const fields = { seed: 2_147_483_647, guidance_scale: 10, ...image };

    expect(sent(model, fields)).toEqual({ ...UNMARKED, ...fields });
    expect(lost(model, fields)).toEqual([]);
  });

  test.each([V4, V4_5, V5])("%s supports neither, which is reported", (model) => {
    const fields = { seed: 0, guidance_scale: 99 };

    expect(sent(model, fields)).toEqual(UNMARKED);
    expect(lost(model, fields)).toEqual(["guidance_scale", "seed"]);
  });

  test.each([0.5, 10.5])("a guidance scale of %p is refused", (scale) => {
    expect(refusal(V3, { guidance_scale: scale })).toBe(
      "guidance_scale: 'guidance_scale' must be from 1 to 10.",
    );
  });

  test("[A8] a seed out of range is refused", () => {
    expect(refusal(V3, { seed: 2_147_483_648 })).toContain("'seed'");
    expect(refusal(V3, { seed: -1 })).toContain("'seed'");
  });

  test.each([V4, V4_5])("%s makes sets, of at most four images by default", (model) => {
    const auto = { sequential_image_generation: "auto" };

    expect(sent(model, auto)).toEqual({
      ...UNMARKED,
      ...auto,
      sequential_image_generation_options: { max_images: 4 },
    });
    const two = { ...auto, sequential_image_generation_options: { max_images: 2 } };
    expect(sent(model, two)).toEqual({ ...UNMARKED, ...two });
    const disabled = { sequential_image_generation: "disabled" };
    expect(sent(model, disabled)).toEqual({ ...UNMARKED, ...disabled });
  });

  test.each([V3, EDIT])("%s makes no sets", (model) => {
    const image = model === EDIT ? { image: LINK } : {};

    expect(refusal(model, { sequential_image_generation: "auto", ...image })).toBe(
      "sequential_image_generation: 'sequential_image_generation' must be 'disabled': this model does not support image sets.",
    );
    const fields = { sequential_image_generation: "disabled", ...image };
    expect(sent(model, fields)).toEqual({ ...UNMARKED, ...image });
    expect(lost(model, fields)).toEqual([]);
  });

  test.each([0, 5])("[A8] a set of %p is refused, and so is an unrequested one", (most) => {
    const options = { sequential_image_generation_options: { max_images: most } };

    expect(refusal(V4, { sequential_image_generation: "auto", ...options })).toStartWith(
      "sequential_image_generation_options.max_images: ",
    );
    expect(refusal(V4, { sequential_image_generation_options: { max_images: 2 } })).toStartWith(
      "sequential_image_generation_options: ",
    );
  });

  test("prompt rewriting is set in the version's own way", () => {
    const way = (mode: string) => ({ optimize_prompt_options: { mode } });

    expect(sent(V4, way("fast"))).toEqual({ ...UNMARKED, ...way("fast") });
    expect(sent(V4, way("standard"))).toEqual({ ...UNMARKED, ...way("standard") });
    expect(sent(V4_5, way("standard"))).toEqual({ ...UNMARKED, ...way("standard") });
    expect(refusal(V4_5, way("fast"))).toBe(
      "optimize_prompt_options: 'optimize_prompt_options.mode' must be standard for this model.",
    );
    expect(refusal(V4, way("slow"))).toContain("standard");
    expect(lost(V3, way("standard"))).toEqual(["optimize_prompt_options"]);
  });

  test("the newest version has an output format", () => {
    expect(sent(V5, { output_format: "jpeg" })).toEqual({ ...UNMARKED, output_format: "jpeg" });
    expect(refusal(V5, { output_format: "webp" })).toBe(
      "output_format: 'output_format' must be png or jpeg for this model.",
    );
    expect(lost(V4, { output_format: "jpeg" })).toEqual(["output_format"]);
  });

  test.each([V4, V4_5])("%s supports streams, and the older ones do not", (model) => {
    expect(sent(model, { stream: true })).toEqual({ ...UNMARKED, stream: true });
    expect(sent(V3, { stream: true })).toEqual(UNMARKED);
  });
});

describe("an image request", () => {
  test("[A4.11-a] has the delivery format that the client requests", () => {
    expect(sent(V4, { response_format: "url" })).toEqual({ ...UNMARKED, response_format: "url" });
    expect(sent(V4, { response_format: "b64_json" })).toEqual({
      ...UNMARKED,
      response_format: "b64_json",
    });
  });

  test("for several images is split, with a separate seed for each", () => {
    const { bodies } = builtFor(ark, { model: V3, prompt, n: 3, seed: 2_147_483_646 });

    expect(bodies.map(({ seed }) => seed)).toEqual([2_147_483_646, 2_147_483_647, 0]);
    expect(builtFor(ark, { model: V4, prompt, n: 2 }).bodies).toHaveLength(2);
  });

  test("without a prompt is refused", () => {
    expect(refusalFor(ark, { model: V4, image: LINK })).toBe(
      "prompt: 'prompt' is required for this model.",
    );
  });

  test("loses the fields of other families by their names, and nothing else", () => {
    const fields = {
      quality: "hd",
      style: "vivid",
      background: "transparent",
      moderation: "low",
      output_compression: 0,
      input_fidelity: "high",
      negative_prompt: "blur",
      prompt_extend: false,
      person_generation: "allow_adult",
      max_output_tokens: 5,
      temperature: 0,
      top_p: 0,
      response_modalities: "image-text",
      aspect_ratio: "1:1",
      partial_images: 2,
      user: "u",
      tomorrow: 1,
    };

    expect(sent(V4, fields)).toEqual(UNMARKED);
    expect([...lost(V4, fields)].sort()).toEqual(Object.keys(fields).sort());
    expect(lost(V4, { quality: "auto", partial_images: 0, user: null })).toEqual([]);
  });
});

test("a model with a custom name gets the fields of all versions", () => {
  const fields = {
    size: "3K",
    seed: 1,
    guidance_scale: 2,
    image: LINK,
    sequential_image_generation: "disabled",
    optimize_prompt_options: { mode: "fast" },
  };

  expect(sent("ep-20251128-fox", fields)).toEqual({ ...UNMARKED, ...fields });
});

test("variations are not supported, since each version needs a prompt", () => {
  expect(() => rowFor(ark, { model: V4, task: "vary", turns: [], stream: false })).toThrow();
});
