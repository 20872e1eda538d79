import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import { call, download, lookAt, pngUrl } from "./testing/pictures.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const PATH = "/ark/api/v3/images/generations";
const THIRD = "doubao-seedream-3-0-t2i-250415";
const EDIT = "doubao-seededit-3-0-i2i-250628";
const FOURTH = "doubao-seedream-4-0-250828";
const FIFTH = "doubao-seedream-4-5-251128";
const SMALL = "1280x720";

function ask(model: string, prompt: string, extra: JsonObject = {}): JsonObject {
  return { model, prompt, ...extra };
}

async function answer(body: JsonObject): Promise<JsonObject> {
  const { status, answer: given } = await call(sandbox, PATH, body);
  expect([status, at(given, "error") ?? null]).toEqual([200, null]);
  return asObject(given);
}

async function sizeOf(body: JsonObject): Promise<string> {
  return textAt(await answer(body), "data", 0, "size");
}

test("an image is returned as a public link to the requested image", async () => {
  const body = await answer(ask(FOURTH, "A paper fox", { size: SMALL }));

  expect(body).toEqual({
    model: FOURTH,
    created: expect.any(Number),
    data: [{ url: expect.stringContaining("/ark/files/"), size: SMALL }],
    usage: { generated_images: 1, output_tokens: 3_600, total_tokens: 3_600 },
  });
  const bytes = await download(textAt(body, "data", 0, "url"));
  expect(await lookAt(bytes)).toBe("png 1280x720");
});

test("an image is returned as base64 on request", async () => {
  const body = await answer(ask(THIRD, "A paper fox", { response_format: "b64_json" }));

  const bytes = Buffer.from(textAt(body, "data", 0, "b64_json"), "base64");
  expect(await lookAt(bytes)).toBe("png 1024x1024");
  expect(at(body, "data", 0, "url")).toBeUndefined();
});

test("an image has a watermark by default", async () => {
  const picture = async (extra: JsonObject) => {
    const body = ask(THIRD, "A paper fox", { response_format: "b64_json", size: "512x512" });
    return textAt(await answer({ ...body, ...extra }), "data", 0, "b64_json");
  };

  expect(await picture({ watermark: true })).toBe(await picture({}));
  expect(await picture({ watermark: false })).not.toBe(await picture({}));
});

test("a named size keeps the shape of the input image", async () => {
  expect(await sizeOf(ask(FOURTH, "hi", { size: "1K" }))).toBe("1024x1024");
  expect(await sizeOf(ask(FIFTH, "hi"))).toBe("2048x2048");
  expect(await sizeOf(ask(FOURTH, "hi", { size: "1K", image: pngUrl(64, 16) }))).toBe("2048x512");
  expect(await sizeOf(ask(EDIT, "hi", { size: "adaptive", image: pngUrl(30, 30) }))).toBe(
    "1024x1024",
  );
});

test("input images in other forms are accepted by the models that support them", async () => {
  const webp = await new Bun.Image(Buffer.from(pngUrl(640, 160).split(",")[1] ?? "", "base64"))
    .webp()
    .bytes();
  const image = `data:image/webp;base64,${Buffer.from(webp).toString("base64")}`;

  expect(await sizeOf(ask(FOURTH, "hi", { size: "1K", image }))).toBe("2048x512");
  const { status } = await call(sandbox, PATH, ask(EDIT, "hi", { image }));
  expect(status).toBe(400);
});

test("a set has the number of images in the prompt, up to the limit", async () => {
  const count = async (prompt: string, most: number, given: number) => {
    const body = await answer(
      ask(FOURTH, prompt, {
        size: SMALL,
        image: Array.from({ length: given }, () => "https://a.example/fox.png"),
        sequential_image_generation: "auto",
        sequential_image_generation_options: { max_images: most },
      }),
    );
    expect(at(body, "data")).toHaveLength(Number(at(body, "usage", "generated_images")));
    return at(body, "usage", "generated_images");
  };

  expect(await count("3 foxes at sea", 15, 1)).toBe(3);
  expect(await count("four seasons of a tree", 2, 1)).toBe(2);
  expect(await count("ten foxes", 15, 12)).toBe(3);
  expect(await count("a fox in 1900", 15, 1)).toBe(1);
  expect(
    at(await answer(ask(FOURTH, "3 foxes", { size: SMALL })), "usage", "generated_images"),
  ).toBe(1);
});

const SET: JsonObject = { sequential_image_generation: "auto", size: SMALL };

test("a failed image is reported among the others, and costs nothing", async () => {
  const body = await answer(ask(FOURTH, "3 foxes, please fail image 2", SET));

  expect(at(body, "data")).toEqual([
    { url: expect.any(String), size: SMALL },
    {
      error: {
        code: "OutputImageSensitiveContentDetected",
        message: expect.stringContaining("output image"),
      },
    },
    { url: expect.any(String), size: SMALL },
  ]);
  expect(at(body, "usage", "generated_images")).toBe(2);
});

test("a stream has an event for each image, one for the whole, and an end", async () => {
  const response = await fetch(sandbox.url + PATH, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
    body: JSON.stringify(
      ask(FOURTH, "3 foxes, please fail image 2", { ...SET, stream: true, user: "u" }),
    ),
  });
  const text = await response.text();
  const events = eventsIn(text);
  const bodies = events.slice(0, -1).map((data) => asObject(parseJson(data)));

  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual(
    bodies.map((body) => textAt(body, "type")),
  );
  const common = { model: FOURTH, created: expect.any(Number) };
  expect(bodies).toEqual([
    {
      type: "image_generation.partial_succeeded",
      ...common,
      image_index: 0,
      url: expect.any(String),
      size: SMALL,
    },
    {
      type: "image_generation.partial_failed",
      ...common,
      image_index: 1,
      error: { code: "OutputImageSensitiveContentDetected", message: expect.any(String) },
    },
    {
      type: "image_generation.partial_succeeded",
      ...common,
      image_index: 2,
      url: expect.any(String),
      size: SMALL,
    },
    {
      type: "image_generation.completed",
      ...common,
      usage: { generated_images: 2, output_tokens: 7_200, total_tokens: 7_200 },
    },
  ]);
  expect(events.at(-1)).toBe("[DONE]");
});

const parameter = (name: string, reason = "") =>
  `400 BadRequest InvalidParameter ${name}: The parameter \`${name}\` specified in the request are not valid: ${reason}`;
const unsupported = (name: string) => parameter(name, "not supported by the current model.");
const fox = { image: pngUrl(300, 300) };

test.each<[string, JsonObject, string]>([
  ["no prompt", { model: FOURTH }, "400 BadRequest MissingParameter prompt"],
  ["an empty prompt", ask(FOURTH, ""), "400 BadRequest MissingParameter prompt"],
  [
    "a model that draws nothing",
    ask("doubao-seed-1-8-251228", "hi"),
    "404 NotFound InvalidEndpointOrModel.NotFound : The model or endpoint doubao-seed-1-8-251228 does not exist",
  ],
  ["an image for a model without image input", ask(THIRD, "hi", fox), unsupported("image")],
  ["nothing for who edits", ask(EDIT, "hi"), "400 BadRequest MissingParameter image"],
  [
    "two images for a model that edits one",
    ask(EDIT, "hi", { image: [fox.image, fox.image] }),
    parameter("image", "expected from 1 to 1 images, but got 2 instead."),
  ],
  [
    "fifteen pictures",
    ask(FIFTH, "hi", { image: Array<string>(15).fill("https://a.example/a.png") }),
    parameter("image", "expected from 1 to 14 images, but got 15 instead."),
  ],
  [
    "an invalid URL",
    ask(FIFTH, "hi", { image: "fox.png" }),
    "400 BadRequest InvalidImageURL.InvalidFormat image",
  ],
  [
    "an empty address",
    ask(FIFTH, "hi", { image: "" }),
    "400 BadRequest InvalidImageURL.EmptyURL image",
  ],
  [
    "a text that is declared as an image",
    ask(FIFTH, "hi", { image: "data:image/png;base64,aGVsbG8=" }),
    parameter("image", "the image format is not supported, expected one of jpeg, png, webp, bmp"),
  ],
  [
    "a tiny image",
    ask(FIFTH, "hi", { image: pngUrl(14, 20) }),
    parameter("image", "the image is 14x20, expected sides of at least 15 pixels."),
  ],
  [
    "an image too long to edit",
    ask(EDIT, "hi", { image: pngUrl(400, 100) }),
    parameter("image", "the aspect ratio of the image is out of the range [1/3, 3]."),
  ],
  [
    "an image of too many pixels",
    ask(FOURTH, "hi", { image: pngUrl(6_001, 6_000) }),
    parameter("image", "the image has 36006000 pixels, expected at most 36000000."),
  ],
  [
    "sides beyond the third model's limit",
    ask(THIRD, "hi", { size: "2049x1024" }),
    parameter("size", "image width and height must be between 512 and 2048 pixels."),
  ],
  [
    "a named size for a model without names",
    ask(THIRD, "hi", { size: "2K" }),
    parameter("size", "expected WIDTHxHEIGHT, but got 2K instead."),
  ],
  [
    "a size for a model that follows the image",
    ask(EDIT, "hi", { ...fox, size: "1024x1024" }),
    parameter("size", "expected adaptive, but got 1024x1024 instead."),
  ],
  [
    "1K of who draws from 2K",
    ask(FIFTH, "hi", { size: "1K" }),
    parameter("size", "expected 2K, 4K or WIDTHxHEIGHT, but got 1K instead."),
  ],
  [
    "too few pixels",
    ask(FIFTH, "hi", { size: "1920x1080" }),
    parameter("size", "image size must be at least 3686400 pixels."),
  ],
  [
    "too many pixels",
    ask(FOURTH, "hi", { size: "4097x4096" }),
    parameter("size", "image size must be at most 16777216 pixels."),
  ],
  ["a seed below minus one", ask(THIRD, "hi", { seed: -2 }), parameter("seed")],
  ["too much guidance", ask(THIRD, "hi", { guidance_scale: 10.5 }), parameter("guidance_scale")],
  [
    "guidance for a model without it",
    ask(FOURTH, "hi", { guidance_scale: 5 }),
    unsupported("guidance_scale"),
  ],
  [
    "a set of who draws one",
    ask(THIRD, "hi", { sequential_image_generation: "auto" }),
    unsupported("sequential_image_generation"),
  ],
  [
    "a set of sixteen",
    ask(FOURTH, "hi", {
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 16 },
    }),
    parameter("sequential_image_generation_options.max_images"),
  ],
  [
    "a speed option for a model without it",
    ask(FIFTH, "hi", { optimize_prompt_options: { mode: "fast" } }),
    parameter("optimize_prompt_options.mode"),
  ],
  [
    "a stream of a model without streams",
    ask(EDIT, "hi", { ...fox, stream: true }),
    unsupported("stream"),
  ],
  [
    "an invalid response format",
    ask(THIRD, "hi", { response_format: "png" }),
    parameter("response_format"),
  ],
  [
    "a prompt with blocked content",
    ask(FOURTH, "please refuse"),
    "400 BadRequest InputTextSensitiveContentDetected prompt",
  ],
  [
    "images that all fail",
    ask(FOURTH, "two foxes, please fail every image", SET),
    "400 BadRequest OutputImageSensitiveContentDetected ",
  ],
])("%s: refused like at the vendor", async (_, body, expected) => {
  const { status, answer: given } = await call(sandbox, PATH, body);

  const [type, code, param, message] = ["type", "code", "param", "message"].map((name) =>
    textAt(given, "error", name),
  );
  expect(`${status} ${type} ${code} ${param}: ${message}`).toStartWith(expected);
  expect(message).toMatch(/ Request id: 02\d{13}[\da-f]{38}$/);
});

test("a refused stream request gets an error before a stream begins", async () => {
  const { status, answer: given } = await call(
    sandbox,
    PATH,
    ask(FOURTH, "hi", { stream: true, size: "64x64" }),
  );

  expect([status, at(given, "error", "code")]).toEqual([400, "InvalidParameter"]);
});

test("a seed is ignored by later models, and null is ignored everywhere", async () => {
  const body = ask(FOURTH, "hi", { size: SMALL, seed: -7, guidance_scale: null, image: null });

  expect(at(await answer(body), "data")).toHaveLength(1);
});

test("a link expires after a day, and an unsigned one is refused", async () => {
  let now = Date.parse("2026-05-01T10:00:00Z");
  await using timed = await startSandbox({ now: () => now });
  const { answer: given } = await call(timed, PATH, ask(FOURTH, "hi", { size: SMALL }));
  const url = textAt(given, "data", 0, "url");
  const status = async (address: string) => (await fetch(address)).status;

  expect(await status(url)).toBe(200);
  now += 24 * 3_600_000;
  expect(await status(url)).toBe(403);
  expect(await status(`${timed.url}/ark/files/other.png`)).toBe(403);
});

test("another key is refused, and faults have the vendor's format", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const refused = await call(guarded, PATH, ask(FOURTH, "hi"));
  const limited = await call(sandbox, PATH, ask(FOURTH, "[[fault:status code=429]] hi"));
  const silent = await answer(ask(FOURTH, "[[fault:nousage]] hi", { size: SMALL }));

  expect([refused.status, at(refused.answer, "error", "code")]).toEqual([
    401,
    "AuthenticationError",
  ]);
  expect([limited.status, at(limited.answer, "error", "code")]).toEqual([
    429,
    "RateLimitExceeded.EndpointRPMExceeded",
  ]);
  expect("usage" in silent).toBe(false);
});
