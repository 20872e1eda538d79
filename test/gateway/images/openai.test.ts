import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { openBooks } from "#test/books.ts";
import { BASE64, dataUri, GIF, jpeg, PNG, webp } from "#test/picture-vendor.ts";
import { openPlace, type Place } from "./picture-place.ts";

const PATH = "/v1/images/generations";
const DEFAULTS = { size: "1024x1024", quality: "high" };
const asked = { model: "gpt-image-1", prompt: "a fox" };

describe("an autoregressive model", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test.each<[string, JsonObject, JsonObject]>([
    ["a prompt only", {}, DEFAULTS],
    [
      "the smaller model",
      { model: "gpt-image-1-mini" },
      { ...DEFAULTS, model: "gpt-image-1-mini", quality: "medium" },
    ],
    ["a newer model", { model: "gpt-image-1.5" }, { ...DEFAULTS, model: "gpt-image-1.5" }],
    ["a portrait image", { size: "1024x1536" }, { ...DEFAULTS, size: "1024x1536" }],
    ["a landscape image", { size: "1536x1024" }, { ...DEFAULTS, size: "1536x1024" }],
    ["the size that fits", { size: "auto" }, { ...DEFAULTS, size: "auto" }],
    [
      "a size of its own",
      { model: "gpt-image-2", size: "2048x1152" },
      { ...DEFAULTS, model: "gpt-image-2", size: "2048x1152" },
    ],
    [
      "the best quality",
      { model: "gpt-image-2.5-flare", quality: "max" },
      { ...DEFAULTS, model: "gpt-image-2.5-flare", quality: "max" },
    ],
    [
      "a plan, of a picture that moves",
      {
        model: "gpt-image-2.5-flare",
        complexity: "high",
        output_format: "gif",
        frame_count: 4,
        frame_duration_ms: 100,
        safety_identifier: "u-1",
      },
      {
        ...DEFAULTS,
        model: "gpt-image-2.5-flare",
        complexity: "high",
        output_format: "gif",
        frame_count: 4,
        frame_duration_ms: 100,
        safety_identifier: "u-1",
      },
    ],
    ["low quality", { quality: "low" }, { ...DEFAULTS, quality: "low" }],
    ["medium quality", { quality: "medium" }, { ...DEFAULTS, quality: "medium" }],
    ["several pictures", { n: 10 }, { ...DEFAULTS, n: 10 }],
    ["base64, which it always is", { response_format: "b64_json" }, DEFAULTS],
    [
      "a prompt as a conversation",
      { prompt: null, contents: [{ role: "user", parts: [{ text: "a fox" }] }] },
      DEFAULTS,
    ],
    [
      "other fields of the vendor",
      {
        background: "opaque",
        moderation: "low",
        output_format: "webp",
        output_compression: 80,
        user: "u",
      },
      {
        ...DEFAULTS,
        background: "opaque",
        moderation: "low",
        output_format: "webp",
        output_compression: 80,
        user: "u",
      },
    ],
  ])("[A4.11-d] is sent %s", async (_, more, sent) => {
    const answer = await place.gateway.post(
      PATH,
      { ...asked, ...more },
      { "sluice-strict": "true" },
    );

    expect(answer.status).toBe(200);
    expect(place.vendor.last.path).toBe("/v1/images/generations");
    expect(place.vendor.last.body).toEqual({ ...asked, ...sent });
  });

  test.each<[string, JsonObject, string, string]>([
    ["a size", { size: "512x512" }, "size", "1024x1024, 1024x1536, 1536x1024"],
    ["a ratio", { size: "16:9" }, "size", "1024x1024, 1024x1536, 1536x1024"],
    ["a size off the grid", { model: "gpt-image-2", size: "1000x1000" }, "size", "multiples of 16"],
    ["a size too large", { model: "gpt-image-2", size: "4096x2048" }, "size", "3840x2160"],
    ["a shape too long", { model: "gpt-image-2", size: "3200x800" }, "size", "1:3"],
    ["a quality", { quality: "hd" }, "quality", "low, medium, high"],
    ["no pictures", { n: 0 }, "n", "from 1 to 10"],
    ["eleven pictures", { n: 11 }, "n", "from 1 to 10"],
    ["a fidelity", { image: BASE64, input_fidelity: "exact" }, "input_fidelity", "low"],
    ["a prompt", { prompt: " " }, "prompt", "is required"],
    ["eleven inputs", { images: Array(11).fill(BASE64) }, "image", "10 at the most"],
    ["images without a prompt", { prompt: "", image: BASE64 }, "prompt", "is required"],
    ["an address within", { image: "http://127.0.0.1:1/a.png" }, "image", ""],
    ["data that is not an image", { image: "aGVsbG8=" }, "image", "not an image"],
    ["a data URI without base64", { image: "data:image/png,x" }, "image", "base64"],
  ])("[A4.11-d] is not sent %s, which it does not support", async (_, more, param, words) => {
    const before = place.vendor.seen.length;

    const refused = await place.gateway.post(PATH, { ...asked, ...more });

    const body = (await refused.json()) as { msg: string; error: { message: string } };
    expect(refused.status).toBe(400);
    expect(body).toMatchObject({ code: 400, data: null, error: { type: "invalid_request_error" } });
    expect(body.error.message).toContain(words);
    expect([body.msg, body.error.message]).toEqual([body.error.message, body.msg]);
    expect(JSON.stringify(body)).toContain(param);
    expect(place.vendor.seen.length).toBe(before);
  });

  test.each<[string, JsonObject]>([
    ["input_fidelity", { input_fidelity: "high" }],
    ["response_format", { response_format: "url" }],
    ["style", { style: "vivid" }],
    ["seed", { seed: 7 }],
    ["negative_prompt", { negative_prompt: "rain" }],
    ["watermark", { watermark: true }],
    ["aspect_ratio", { aspect_ratio: "16:9" }],
    ["image_size", { image_size: "2K" }],
    ["sequential_image_generation", { sequential_image_generation: "auto" }],
    ["my_own", { my_own: 1 }],
  ])(
    "[A4.11-d] is called without %s, with a report, or the call is refused for strict clients",
    async (name, more) => {
      const lossy = await place.gateway.post(PATH, { ...asked, ...more });
      const strict = await place.gateway.post(
        PATH,
        { ...asked, ...more },
        { "sluice-strict": "true" },
      );

      expect([lossy.status, lossy.headers.get("sluice-lossy")]).toEqual([200, name]);
      expect(place.vendor.last.body).toEqual({ ...asked, ...DEFAULTS });
      expect(strict.status).toBe(400);
      expect(await strict.text()).toContain(name);
    },
  );

  test("[A2.9] [A4.11-a] responds in base64, in the envelope", async () => {
    const answer = await place.gateway.post(PATH, { ...asked, n: 2 });

    const picture = { url: "", b64_json: BASE64, revised_prompt: "" };
    expect(await answer.json()).toEqual({
      code: 200,
      msg: "Operation successful",
      data: { data: [picture, picture], created: 1_769_567_828 },
    });
  });

  test("[A4.11-d] is charged for every image", async () => {
    using books = openBooks(place.gateway.dataDir);
    await books.whenSettled();
    const spent = books.spent();

    await place.gateway.post(PATH, { ...asked, n: 3 });

    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent() - spent).toBe(10 * 10_000 + 3 * 1_056 * 40_000);
  });

  describe("with input images", () => {
    test.each<[string, () => Promise<JsonObject>]>([
      ["a data URI", async () => ({ image: dataUri("image/png", PNG) })],
      ["base64", async () => ({ image: BASE64 })],
      ["a list", async () => ({ images: [BASE64] })],
      [
        "a conversation",
        async () => ({
          prompt: null,
          contents: [{ role: "user", parts: [{ image: BASE64 }, { text: "a fox" }] }],
        }),
      ],
    ])("[A4.11-d] as %s edits them", async (_, more) => {
      const answer = await place.gateway.post(
        PATH,
        { ...asked, ...(await more()) },
        { "sluice-strict": "true" },
      );

      expect(answer.status).toBe(200);
      const { path, body, files } = place.vendor.last;
      expect([path, body]).toEqual(["/v1/images/edits", { ...asked, ...DEFAULTS }]);
      expect(files).toEqual([
        { field: "image", name: "image-1.png", type: "image/png", bytes: PNG },
      ]);
    });

    test("[A4.11-d] gets up to ten, as files of their own types, and GIF as PNG", async () => {
      const [jpg, web] = [await jpeg(), await webp()];
      const images = [
        ...[PNG, jpg, web, GIF].map((each) => dataUri("image/png", each)),
        ...Array<string>(6).fill(BASE64),
      ];

      const answer = await place.gateway.post(PATH, { ...asked, images, n: 2 });

      expect(answer.status).toBe(200);
      const { body, files } = place.vendor.last;
      expect(body["n"]).toBe("2");
      expect(files.map(({ field, name, type }) => `${field} ${name} ${type}`).slice(0, 4)).toEqual([
        "image[] image-1.png image/png",
        "image[] image-2.jpg image/jpeg",
        "image[] image-3.webp image/webp",
        "image[] image-4.png image/png",
      ]);
      expect(files.length).toBe(10);
      expect([files[1]?.bytes, files[2]?.bytes]).toEqual([jpg, web]);
      expect(Buffer.from(files[3]?.bytes ?? []).subarray(0, 4)).toEqual(
        Buffer.from(PNG.subarray(0, 4)),
      );
    });

    test.each([
      ["low", "low"],
      ["medium", "high"],
      ["high", "high"],
      ["auto", undefined],
    ])("[A4.11-d] keeps the requested fidelity: %s", async (input_fidelity, sent) => {
      const body = { ...asked, image: BASE64, input_fidelity };
      const answer = await place.gateway.post(PATH, body, { "sluice-strict": "true" });

      expect(answer.status).toBe(200);
      expect(place.vendor.last.body["input_fidelity"]).toBe(sent);
    });

    test.each(["gpt-image-2", "gpt-image-2.5-flare"])(
      "gets no fidelity if it is %s, which refuses the option",
      async (model) => {
        const body = { ...asked, model, image: BASE64, input_fidelity: "high" };

        const answer = await place.gateway.post(PATH, body);

        expect(answer.headers.get("sluice-lossy")).toBe("input_fidelity");
        expect(place.vendor.last.body).not.toHaveProperty("input_fidelity");
      },
    );

    test("[A4.11-d] gets no fidelity if it is the smaller model, with a report", async () => {
      const body = { ...asked, model: "gpt-image-1-mini", image: BASE64, input_fidelity: "high" };

      const answer = await place.gateway.post(PATH, body);

      expect(answer.headers.get("sluice-lossy")).toBe("input_fidelity");
      expect(place.vendor.last.body).toEqual({
        ...asked,
        model: "gpt-image-1-mini",
        size: "1024x1024",
        quality: "medium",
      });
    });
  });
});

describe("the older models", () => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(({ body }) =>
      Response.json({
        created: 1_705_664_503,
        data: Array.from({ length: Number(body["n"] ?? 1) }, (_, at) =>
          body["response_format"] === "b64_json"
            ? { b64_json: BASE64 }
            : { url: `https://pictures.example/${at}.png`, revised_prompt: "A red fox." },
        ),
      }),
    );
  });
  afterAll(() => place[Symbol.asyncDispose]());

  test("get requests in their own format, and respond with a link or base64 as requested", async () => {
    const body = {
      model: "dall-e-3",
      prompt: "a fox",
      size: "1792x1024",
      quality: "hd",
      style: "natural",
    };

    const link = await place.gateway.post(PATH, body);
    const sent = place.vendor.last.body;
    const base64 = await place.gateway.post(PATH, { ...body, response_format: "b64_json" });

    expect(sent).toEqual(body);
    expect(await link.json()).toMatchObject({
      data: {
        data: [
          { url: "https://pictures.example/0.png", b64_json: "", revised_prompt: "A red fox." },
        ],
      },
    });
    expect(await base64.json()).toMatchObject({ data: { data: [{ url: "", b64_json: BASE64 }] } });
  });

  test("with one image per request are called once per image", async () => {
    const before = place.vendor.seen.length;

    const answer = await place.gateway.post(PATH, { model: "dall-e-3", prompt: "a fox", n: 3 });

    const { data } = (await answer.json()) as { data: { data: object[] } };
    expect(data.data.length).toBe(3);
    expect(place.vendor.seen.slice(before).map(({ body }) => body["n"])).toEqual([1, 1, 1]);
  });

  test.each<[JsonObject, string, string]>([
    [{ model: "dall-e-3", size: "1024x1536" }, "size", "1024x1024, 1792x1024, 1024x1792"],
    [{ model: "dall-e-3", quality: "high" }, "quality", "standard, hd"],
    [{ model: "dall-e-3", image: BASE64 }, "image", "no pictures"],
    [{ model: "dall-e-2", size: "1792x1024" }, "size", "256x256, 512x512, 1024x1024"],
    [{ model: "dall-e-2", images: [BASE64, BASE64] }, "image", "1 at the most"],
  ])("get no unsupported options: %j", async (more, param, words) => {
    const refused = await place.gateway.post(PATH, { prompt: "a fox", ...more });

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { param, message: expect.stringContaining(words) },
    });
  });

  test("include the oldest one, which gets no quality option", async () => {
    const body = { model: "dall-e-2", prompt: "a fox", size: "256x256", quality: "standard" };
    const answer = await place.gateway.post(PATH, body, { "sluice-strict": "true" });

    expect(answer.status).toBe(200);
    expect(place.vendor.last.body).toEqual({ model: "dall-e-2", prompt: "a fox", size: "256x256" });
  });
});
