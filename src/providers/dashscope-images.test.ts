import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "#lib/json.ts";
import { builtFor, refusalFor, rowFor } from "#test/built-pictures.ts";
import { dashscope } from "./dashscope.ts";

const DRAW = "qwen-image-plus";
const EDIT = "qwen-image-edit";
const EDIT_PLUS = "qwen-image-edit-plus";
const EDIT_MAX = "qwen-image-edit-max-2026-01-16";
const BOTH = "qwen-image-2.0-pro";
const TASK = "wan2.2-t2i-flash";

const LINK = "https://pictures.example/fox.png";
const DATA = "data:image/png;base64,iVBORw0KGgo=";
const text = { text: "A paper fox" };
const image = { image: LINK };

/** A caller's body, nested as the family has it. */
function nested(model: string, parameters: JsonObject = {}, content?: readonly Json[]): JsonObject {
  const usual = model.includes("edit") ? [image, text] : [text];
  return { model, input: { messages: [{ role: "user", content: content ?? usual }] }, parameters };
}

function sent(body: JsonObject): JsonObject {
  const { bodies } = builtFor(dashscope, body);
  expect(bodies).toHaveLength(1);
  return bodies[0] ?? {};
}

const parameters = (body: JsonObject) => sent(body)["parameters"];
const lost = (body: JsonObject) => builtFor(dashscope, body).lost;
const refusal = (body: JsonObject) => refusalFor(dashscope, body);

/** Of one who says nothing. */
const USUAL = { n: 1, watermark: true };
const REWRITTEN = { ...USUAL, prompt_extend: true };

describe("[A4.11-e] an image request", () => {
  test("is one user message, with its images in order", () => {
    const content = [image, { image: DATA }, { text: "Put one into the other" }];

    expect(builtFor(dashscope, nested(EDIT_PLUS, {}, content))).toEqual({
      bodies: [
        {
          model: EDIT_PLUS,
          input: { messages: [{ role: "user", content }] },
          parameters: REWRITTEN,
        },
      ],
      lost: [],
    });
  });

  test("may use the fields common to all families", () => {
    const expected = sent(nested(EDIT, { negative_prompt: "blur", seed: 5, watermark: false }));
    const fields = { negative_prompt: "blur", seed: 5, watermark: false };

    expect(sent({ model: EDIT, prompt: text.text, image: LINK, ...fields })).toEqual(expected);
    const contents = [{ role: "user", parts: [image, text] }];
    expect(sent({ model: EDIT, contents, ...fields })).toEqual(expected);
    const messages = [{ role: "user", content: [image] }];
    expect(sent({ model: EDIT, prompt: text.text, input: { messages }, ...fields })).toEqual(
      expected,
    );
  });

  test("may name an image in the vendor's own storage", () => {
    const stored = { image: "oss://dashscope-instant/fox.png" };

    expect(sent(nested(EDIT, {}, [stored, text]))["input"]).toEqual({
      messages: [{ role: "user", content: [stored, text] }],
    });
    const row = rowFor(dashscope, { model: EDIT, task: "edit", turns: [], stream: false });
    expect(row.headers).toEqual({ "x-dashscope-ossresourceresolve": "enable" });
    expect(refusal(nested(EDIT, {}, [{ image: "gs://bucket/fox.png" }, text]))).toBe(
      "image: 'image' cannot be carried: a stored file can be used only with the vendor that stores it.",
    );
  });

  test.each<[string, JsonObject, string]>([
    [
      "of another vendor",
      { model: DRAW, input: { messages: [{ role: "assistant", content: [text] }] } },
      "input.messages[0].role: 'input.messages[0].role' must be",
    ],
    [
      "by a model",
      { model: DRAW, contents: [{ role: "model", parts: [text] }] },
      "contents: 'contents' must have only messages of the user for this model.",
    ],
    [
      "without words",
      nested(EDIT, {}, [image, { text: " " }]),
      "prompt: 'prompt' is required for this model.",
    ],
    [
      "with a prompt above the maximum length",
      nested(DRAW, {}, [{ text: "🦊".repeat(801) }]),
      "prompt: 'prompt' must have 800 characters at most, not 801.",
    ],
    [
      "with an image for a model without image input",
      nested(DRAW, {}, [image, text]),
      "image: 'image' must be omitted: this model accepts only text.",
    ],
    [
      "with nothing to edit",
      nested(EDIT, {}, [text]),
      "image: The number of images in 'image' must be 1 to 3 for this model, not 0.",
    ],
    [
      "[A8] with four images",
      nested(EDIT_PLUS, {}, [image, image, image, image, text]),
      "image: The number of images in 'image' must be 1 to 3 for this model, not 4.",
    ],
  ])("%s is refused", (_what, body, message) => {
    expect(refusal(body)).toStartWith(message);
  });

  test("of exactly the maximum text length and number of images is accepted", () => {
    const content = [image, image, image, { text: "🦊".repeat(800) }];

    expect(sent(nested(EDIT_PLUS, {}, content))["input"]).toEqual({
      messages: [{ role: "user", content }],
    });
  });
});

describe("[A4.11-e] parameters.n", () => {
  test.each([EDIT_PLUS, EDIT_MAX, BOTH])("of %s is 1 to 6, in one request", (model) => {
    expect(parameters(nested(model, { n: 6 }))).toEqual({ ...REWRITTEN, n: 6 });
    expect(refusal(nested(model, { n: 7 }))).toBe("n: 'n' must be 1 to 6 for this model.");
  });

  test("of the plain edit model is 1", () => {
    expect(parameters(nested(EDIT, { n: 1 }))).toEqual(USUAL);
    expect(refusal(nested(EDIT, { n: 2 }))).toBe("n: 'n' must be 1 for this model.");
  });

  test("of a model with one image per request is the number of requests", () => {
    const { bodies } = builtFor(dashscope, nested(DRAW, { n: 2, seed: 7 }));

    expect(bodies.map((each) => each["parameters"])).toEqual([
      { ...USUAL, seed: 7 },
      { ...USUAL, seed: 8 },
    ]);
  });
});

describe("[A4.11-e] parameters", () => {
  test("negative_prompt has 500 characters at most", () => {
    const words = "n".repeat(500);

    expect(parameters(nested(DRAW, { negative_prompt: words }))).toEqual({
      ...USUAL,
      negative_prompt: words,
    });
    expect(refusal(nested(DRAW, { negative_prompt: `${words}n` }))).toBe(
      "negative_prompt: 'negative_prompt' must have 500 characters at most, not 501.",
    );
  });

  test("prompt_extend is on for models that support it, and reported for others", () => {
    for (const model of [EDIT_PLUS, EDIT_MAX, BOTH]) {
      expect(parameters(nested(model))).toEqual(REWRITTEN);
      const off = nested(model, { prompt_extend: false });
      expect(parameters(off)).toEqual({ ...REWRITTEN, prompt_extend: false });
    }
    expect(parameters(nested(DRAW, { prompt_extend: false }))).toEqual({
      ...USUAL,
      prompt_extend: false,
    });
    expect(parameters(nested(EDIT, { prompt_extend: true }))).toEqual(USUAL);
    expect(lost(nested(EDIT, { prompt_extend: true }))).toEqual(["prompt_extend"]);
  });

  test("watermark is off by default", () => {
    expect(parameters(nested(DRAW))).toEqual({ n: 1, watermark: true });
    expect(parameters(nested(DRAW, { watermark: false }))).toEqual({ n: 1, watermark: false });
  });

  test("seed may be any valid seed", () => {
    expect(parameters(nested(DRAW, { seed: 2_147_483_647 }))).toEqual({
      ...USUAL,
      seed: 2_147_483_647,
    });
    expect(refusal(nested(DRAW, { seed: 2_147_483_648 }))).toContain("seed");
  });

  test.each<[string, string, string]>([
    [DRAW, "1664*928", "1664*928"],
    [DRAW, "1328x1328", "1328*1328"],
    [EDIT_PLUS, "512*2048", "512*2048"],
    [EDIT_MAX, "1536x1024", "1536*1024"],
    [BOTH, "2688*1536", "2688*1536"],
  ])("size of %s may be %s", (model, size, expected) => {
    expect(parameters(nested(model, { size }))).toMatchObject({ size: expected });
    expect(lost(nested(model, { size }))).toEqual([]);
  });

  test.each<[string, string, string]>([
    [DRAW, "1024*1024", "must be one of 1664*928, 1472*1140, 1472*1104, 1328*1328"],
    [DRAW, "16:9", "must be one of 1664*928"],
    [EDIT_PLUS, "511*1024", "must be width*height with sides of 512 to 2048 pixels."],
    [BOTH, "4096*4096", "must be width*height with 262144 to 4194304 pixels in all."],
    [EDIT, "1024*1024", "must be omitted: this model uses the shape of the last image."],
  ])("size of %s may not be %s, and the error lists the valid sizes", (model, size, allowed) => {
    expect(refusal(nested(model, { size }))).toStartWith(`size: 'size' ${allowed}`);
  });

  test("of other families are reported by their names", () => {
    const fields = { quality: "hd", sequential_image_generation: "auto", guidance_scale: 3, x: 1 };

    expect(sent({ ...nested(DRAW), ...fields })).toEqual(sent(nested(DRAW)));
    expect([...lost({ ...nested(DRAW), ...fields })].sort()).toEqual(Object.keys(fields).sort());
  });
});

describe("an image model with tasks", () => {
  test("is called in its own format, as an asynchronous task", () => {
    const body = nested(TASK, { size: "1024x768", negative_prompt: "blur", prompt_extend: false });

    expect(builtFor(dashscope, body)).toEqual({
      bodies: [
        {
          model: TASK,
          input: { prompt: text.text, negative_prompt: "blur" },
          parameters: { n: 1, size: "1024*768", prompt_extend: false, watermark: true },
        },
      ],
      lost: [],
    });
    const row = rowFor(dashscope, { model: TASK, task: "generate", turns: [], stream: false });
    expect(row.headers).toEqual({ "x-dashscope-async": "enable" });
    expect(row.pending?.path("a/../b")).toBe("/../../api/v1/tasks/a%2F..%2Fb");
  });

  test("accepts any valid size", () => {
    expect(refusal(nested(TASK, { size: "square" }))).toBe("size: 'size' must be width*height.");
  });
});

test("text models of the vendor generate no images, and no model makes variations", () => {
  const question = { turns: [], stream: false } as const;

  expect(() => rowFor(dashscope, { ...question, model: "qwen-plus", task: "generate" })).toThrow();
  expect(() => rowFor(dashscope, { ...question, model: EDIT, task: "vary" })).toThrow();
});
