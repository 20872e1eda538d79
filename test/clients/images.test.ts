import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { DallEAPIWrapper } from "@langchain/openai";
import { generateImage } from "ai";
import OpenAI, { toFile } from "openai";
import { textOf } from "#lib/values.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { openPlace, type Place } from "#test/gateway/images/picture-place.ts";
import { openVendor, type Vendor } from "#test/adapter/vendor.ts";
import { answerTokens, BASE64, PNG, type Seen } from "#test/picture-vendor.ts";

const LINK = "https://pictures.example/1.png";

/** The newer models answer in base64 and may stream, those before hand over links as a rule. */
function answer(seen: Seen): Response {
  const { path, body } = seen;
  if (body["stream"] === true || body["stream"] === "true")
    return stream(path.endsWith("edits") ? "image_edit" : "image_generation");
  if (textOf(body["model"])?.startsWith("gpt-image")) return answerTokens(seen);
  const wantsBase64 = body["response_format"] === "b64_json";
  const picture = wantsBase64 ? { b64_json: BASE64 } : { url: LINK };
  const data = Array.from({ length: Number(body["n"] ?? 1) }, () => picture);
  return Response.json({ created: 1_705_664_503, data });
}

function stream(prefix: string): Response {
  const about = {
    b64_json: BASE64,
    created_at: 1_620_000_000,
    size: "1024x1024",
    quality: "high",
    background: "opaque",
    output_format: "png",
  };
  const usage = {
    total_tokens: 50,
    input_tokens: 10,
    output_tokens: 40,
    input_tokens_details: { text_tokens: 10, image_tokens: 0 },
  };
  const events = [
    { type: `${prefix}.partial_image`, ...about, partial_image_index: 0 },
    { type: `${prefix}.completed`, ...about, usage },
  ];
  const text = events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`);
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

let place: Place;
beforeAll(async () => {
  place = await openPlace(answer);
});
afterAll(() => place[Symbol.asyncDispose]());

const fox = (name = "fox.png") => toFile(PNG, name, { type: "image/png" });
const asked = { model: "gpt-image-1", prompt: "a fox" };

describe.each(["/v1", "/openai/v1"])(
  "the official client of the chat style, unmodified, at %s",
  (prefix) => {
    const client = (): OpenAI =>
      new OpenAI({ baseURL: place.gateway.url + prefix, apiKey: KEY, maxRetries: 0 });

    test("gets images, and their usage", async () => {
      const {
        data,
        usage,
        size,
        quality,
        output_format: format,
      } = await client().images.generate({ ...asked, n: 2 });

      expect(data?.map(({ b64_json: base64 }) => base64)).toEqual([BASE64, BASE64]);
      expect([size, quality, format]).toEqual(["1024x1024", "high", "png"]);
      expect(usage).toMatchObject({ input_tokens: 10, output_tokens: 2_112, total_tokens: 2_122 });
    });

    test("gets links from models that return them", async () => {
      const { data } = await client().images.generate({ model: "dall-e-3", prompt: "a fox", n: 1 });

      expect(data).toEqual([{ url: LINK }]);
    });

    test("edits an image, with a mask", async () => {
      const { data } = await client().images.edit({
        ...asked,
        image: await fox(),
        mask: await fox("mask.png"),
        input_fidelity: "high",
      });

      expect(data?.[0]?.b64_json).toBe(BASE64);
      expect(place.vendor.last.files.map(({ field, bytes }) => [field, bytes])).toEqual([
        ["image", PNG],
        ["mask", PNG],
      ]);
      expect(place.vendor.last.body).toMatchObject({ prompt: "a fox", input_fidelity: "high" });
    });

    test("edits several images", async () => {
      const { data } = await client().images.edit({
        ...asked,
        image: [await fox(), await fox("b.png")],
        n: 2,
      });

      expect(data?.length).toBe(2);
      expect(place.vendor.last.files.map(({ field }) => field)).toEqual(["image[]", "image[]"]);
    });

    test("gets variations", async () => {
      const { data } = await client().images.createVariation({
        model: "dall-e-2",
        image: await fox(),
        n: 2,
        response_format: "b64_json",
      });

      expect(data).toEqual([{ b64_json: BASE64 }, { b64_json: BASE64 }]);
      expect(place.vendor.last.path).toBe("/v1/images/variations");
    });

    test("gets partial images", async () => {
      const types: string[] = [];
      for await (const event of await client().images.generate({
        ...asked,
        stream: true,
        partial_images: 1,
      })) {
        types.push(event.type);
        expect(event.b64_json).toBe(BASE64);
        if (event.type === "image_generation.completed") expect(event.usage.total_tokens).toBe(50);
      }

      expect(types).toEqual(["image_generation.partial_image", "image_generation.completed"]);
    });

    test("gets partial images of an edit", async () => {
      const types: string[] = [];
      for await (const event of await client().images.edit({
        ...asked,
        image: await fox(),
        stream: true,
      })) {
        types.push(event.type);
      }

      expect(types).toEqual(["image_edit.partial_image", "image_edit.completed"]);
    });

    test("gets a failure as its own error class", async () => {
      const failing = client().images.generate({ ...asked, size: "512x512" });

      const failure = await failing.then(
        () => undefined,
        (cause: unknown) => cause,
      );
      expect(failure).toBeInstanceOf(OpenAI.BadRequestError);
      expect(failure).toMatchObject({ status: 400, param: "size", type: "invalid_request_error" });
    });
  },
);

describe("the AI SDK", () => {
  const openai = () => createOpenAI({ baseURL: `${place.gateway.url}/v1`, apiKey: KEY });

  test.each(["gpt-image-1", "dall-e-3"])("gets an image of %s", async (model) => {
    const { images } = await generateImage({
      model: openai().image(model),
      prompt: "a fox",
      size: "1024x1024",
      maxRetries: 0,
    });

    expect(images.map(({ base64 }) => base64)).toEqual([BASE64]);
  });

  test("edits images", async () => {
    const { images } = await generateImage({
      model: openai().image("gpt-image-1.5"),
      prompt: { text: "in snow", images: [PNG, PNG] },
      maxRetries: 0,
    });

    expect(images.map(({ base64 }) => base64)).toEqual([BASE64]);
    expect(place.vendor.last.files.map(({ bytes }) => bytes)).toEqual([PNG, PNG]);
  });
});

describe("LangChain's tool", () => {
  const tool = (responseFormat: "url" | "b64_json", n = 1): DallEAPIWrapper =>
    new DallEAPIWrapper({
      baseUrl: `${place.gateway.url}/v1`,
      apiKey: KEY,
      dallEResponseFormat: responseFormat,
      n,
    });

  test("gets a link, or base64, as requested", async () => {
    expect(await tool("url").invoke("a fox")).toBe(LINK);
    expect(await tool("b64_json").invoke("a fox")).toBe(BASE64);
  });

  test("gets several images", async () => {
    const pictures: unknown = await tool("url", 2).invoke("a fox");

    expect(pictures).toEqual(Array(2).fill({ type: "image_url", image_url: LINK }));
  });
});

describe("the AI SDK's package for the native style", () => {
  let vendor: Vendor;
  let gateway: TestGateway;
  beforeAll(async () => {
    const part = { inlineData: { mimeType: "image/png", data: BASE64 } };
    const candidates = [
      { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 },
    ];
    vendor = openVendor(() =>
      Response.json({
        candidates,
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1_290, totalTokenCount: 1_293 },
      }),
    );
    gateway = await openTestGateway({
      yaml: `channels:\n  - { name: one, provider: gemini, base_url: "${vendor.url}", api_key: upstream-secret, models: [gemini-2.5-flash-image] }`,
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });

  test("gets an image within a text response", async () => {
    const google = createGoogleGenerativeAI({ baseURL: `${gateway.url}/v1beta`, apiKey: KEY });

    const { images } = await generateImage({
      model: google.image("gemini-2.5-flash-image"),
      prompt: "a fox",
      aspectRatio: "16:9",
      maxRetries: 0,
    });

    expect(images.map(({ base64 }) => base64)).toEqual([BASE64]);
    expect(vendor.last.body).toMatchObject({
      generationConfig: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9" } },
    });
  });
});
