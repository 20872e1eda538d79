import { GoogleGenAI, ThinkingLevel } from "@google/genai";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { answerTo, ask, chunksOf, partsOf, post, refusalOf } from "./testing/gemini.ts";
import { lookAt, pngUrl } from "./testing/pictures.ts";

let sandbox: Sandbox;
let client: GoogleGenAI;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = new GoogleGenAI({
    apiKey: "AIza-test",
    httpOptions: { baseUrl: `${sandbox.url}/gemini` },
  });
});

afterAll(() => sandbox.stop());

const SECOND = "gemini-2.5-flash-image";
const PRO = "gemini-3-pro-image-preview";
const FLASH = "gemini-3.1-flash-image";
const DRAWN: JsonObject = { responseModalities: ["IMAGE"] };

function image(imageConfig: JsonObject): JsonObject {
  return { generationConfig: { ...DRAWN, imageConfig } };
}

function bytesOf(part: JsonObject | undefined): Uint8Array {
  return Buffer.from(textAt(part, "inlineData", "data"), "base64");
}

function pictures(count: number): JsonObject {
  const data = pngUrl(32, 32).split(",")[1] ?? "";
  const part = { inlineData: { mimeType: "image/png", data } };
  const parts = [...Array.from({ length: count }, () => part), { text: "Put all into one" }];
  return { contents: [{ role: "user", parts }], generationConfig: DRAWN };
}

test("the official client gets an image of the requested shape and size", async () => {
  const answer = await client.models.generateContent({
    model: PRO,
    contents: "A paper fox",
    config: {
      responseModalities: ["IMAGE"],
      imageConfig: { aspectRatio: "9:16", imageSize: "2K" },
    },
  });

  const parts = answer.candidates?.[0]?.content?.parts ?? [];
  expect(parts).toHaveLength(1);
  const data = parts[0]?.inlineData?.data ?? "";
  expect(await lookAt(Buffer.from(data, "base64"))).toBe("jpeg 1536x2720");
});

test("a reasoning model shows intermediate images to clients that see its reasoning", async () => {
  const config = { responseModalities: ["IMAGE"], imageConfig: { imageSize: "512" } };
  const answer = await client.models.generateContent({
    model: FLASH,
    contents: "A paper fox",
    config: {
      ...config,
      thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.HIGH },
    },
  });
  const hidden = await answerTo(sandbox, FLASH, ask("A paper fox", { generationConfig: config }));
  const chunks = await chunksOf(
    sandbox,
    FLASH,
    ask("A paper fox", {
      generationConfig: { ...config, thinkingConfig: { includeThoughts: true } },
    }),
  );

  const kinds = (answer.candidates?.[0]?.content?.parts ?? []).map((part) => [
    part.inlineData === undefined ? "text" : "picture",
    part.thought === true,
  ]);
  expect(kinds).toEqual([
    ["text", true],
    ["picture", true],
    ["picture", false],
  ]);
  expect(answer.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(260);
  expect(partsOf(hidden).map((part) => Object.keys(part))).toEqual([
    ["inlineData", "thoughtSignature"],
  ]);
  const drawn = partsOf(...chunks).filter((part) => "inlineData" in part);
  expect(drawn.map((part) => part["thought"] ?? false)).toEqual([true, false]);
  expect(textAt(drawn[0], "inlineData", "data")).not.toBe(textAt(drawn[1], "inlineData", "data"));
});

test("long shapes and small sizes are supported by one model only", async () => {
  const drawn = async (model: string, imageConfig: JsonObject) =>
    lookAt(bytesOf(partsOf(await answerTo(sandbox, model, ask("A fox", image(imageConfig))))[0]));

  expect(await drawn(FLASH, { aspectRatio: "8:1", imageSize: "512" })).toBe("jpeg 1440x192");
  expect(await drawn(SECOND, { aspectRatio: "21:9" })).toBe("png 1568x672");
});

test("an image shows the number of its input images", async () => {
  const drawn = async (count: number) =>
    textAt(partsOf(await answerTo(sandbox, SECOND, pictures(count)))[0], "inlineData", "data");

  expect(new Set([await drawn(0), await drawn(1), await drawn(2)]).size).toBe(3);
});

test.each<[string, string, JsonObject, string]>([
  [
    "a size of who draws in one",
    SECOND,
    ask("A fox", image({ imageSize: "1K" })),
    `Image size is not supported for models/${SECOND}`,
  ],
  [
    "the smallest size for a model without it",
    PRO,
    ask("A fox", image({ imageSize: "512" })),
    "* GenerateContentRequest.generation_config.image_config.image_size: image_size must be one of 1K, 2K, 4K.",
  ],
  [
    "a long shape for a model without it",
    PRO,
    ask("A fox", image({ aspectRatio: "1:8" })),
    "* GenerateContentRequest.generation_config.image_config.aspect_ratio: aspect_ratio must be one of 1:1, 2:3, 3:2, 3:4, 4:3, 4:5, 5:4, 9:16, 16:9, 21:9.",
  ],
  [
    "the people of the other API",
    PRO,
    ask("A fox", image({ personGeneration: "ALLOW_ADULT" })),
    "Invalid JSON payload received. Unknown name \"personGeneration\" at 'generation_config.image_config': Cannot find field.",
  ],
  [
    "the form of the other API",
    PRO,
    ask("A fox", image({ imageOutputOptions: { mimeType: "image/png" } })),
    "Invalid JSON payload received. Unknown name \"imageOutputOptions\" at 'generation_config.image_config': Cannot find field.",
  ],
  [
    "two images at once",
    SECOND,
    ask("A fox", { generationConfig: { ...DRAWN, candidateCount: 2 } }),
    `Multiple candidates is not enabled for models/${SECOND}`,
  ],
  [
    "fifteen input images",
    PRO,
    pictures(15),
    `The number of images (15) exceeds the maximum number of images allowed (14) for models/${PRO}.`,
  ],
])("%s: refused like at the vendor", async (_, model, body, expected) => {
  const response = await post(sandbox, `models/${model}:generateContent`, body);

  expect(await refusalOf(response)).toBe(`400 INVALID_ARGUMENT ${expected}`);
});

test("blocked or impossible images end with their reason and without an image", async () => {
  const end = async (model: string, text: string) => {
    const answer = await answerTo(sandbox, model, ask(text));
    const drawn = partsOf(answer).filter((part) => "inlineData" in part);
    return `${textAt(answer, "candidates", 0, "finishReason")} ${drawn.length}`;
  };
  const open = [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" }];
  const anyway = await answerTo(sandbox, PRO, ask("please refuse", { safetySettings: open }));
  const chunks = await chunksOf(sandbox, PRO, ask("please refuse"));

  expect(await end(SECOND, "A fox")).toBe("STOP 1");
  expect(await end(SECOND, "please refuse")).toBe("IMAGE_SAFETY 0");
  expect(await end(PRO, "please fail every image")).toBe("NO_IMAGE 0");
  expect(await end(PRO, "[[fault:finish reason=IMAGE_PROHIBITED_CONTENT]] A fox")).toBe(
    "IMAGE_PROHIBITED_CONTENT 0",
  );
  expect(at(anyway, "candidates", 0, "finishReason")).toBe("IMAGE_SAFETY");
  expect(partsOf(anyway)).toEqual([]);
  expect(at(chunks.at(-1), "candidates", 0, "finishReason")).toBe("IMAGE_SAFETY");
  expect(partsOf(...chunks)).toEqual([]);
});

const IMAGEN = "imagen-4.0-generate-001";

/** Only the client's other mode still knows Imagen. With a key of its own, it speaks the same way. */
function imagenClient({ url }: Sandbox): GoogleGenAI {
  return new GoogleGenAI({
    vertexai: true,
    apiKey: "AIza-test",
    httpOptions: { baseUrl: `${url}/gemini`, apiVersion: "v1beta" },
  });
}

test("the official client gets the requested number of Imagen images", async () => {
  const answer = await imagenClient(sandbox).models.generateImages({
    model: `models/${IMAGEN}`,
    prompt: "A paper fox",
    config: { numberOfImages: 2, aspectRatio: "16:9", imageSize: "2K" },
  });

  const drawn = (answer.generatedImages ?? []).map(({ image: each }) => each?.imageBytes ?? "");
  expect(await Promise.all(drawn.map((data) => lookAt(Buffer.from(data, "base64"))))).toEqual([
    "png 2688x1536",
    "png 2688x1536",
  ]);
  expect(new Set(drawn).size).toBe(2);
});

async function predict(prompt: string, parameters: JsonObject, model = IMAGEN) {
  const response = await post(sandbox, `models/${model}:predict`, {
    instances: [{ prompt }],
    parameters,
  });
  return { status: response.status, body: asObject(parseJson(await response.text())) };
}

test("the reason of Imagen's filter is in the place of the image", async () => {
  const some = await predict("A fox, please fail image 2", { sampleCount: 2 });
  const none = await predict("please refuse", {});

  expect(some.body).toEqual({
    predictions: [
      { mimeType: "image/png", bytesBase64Encoded: expect.any(String) },
      { raiFilteredReason: expect.any(String) },
    ],
  });
  expect(none.body).toEqual({
    predictions: Array(4).fill({ raiFilteredReason: expect.any(String) }),
  });
});

test.each<[string, JsonObject, string]>([
  ["five pictures", { sampleCount: 5 }, "sampleCount must be between 1 and 4, inclusive."],
  ["none", { sampleCount: 0 }, "sampleCount must be between 1 and 4, inclusive."],
  [
    "another shape",
    { aspectRatio: "21:9" },
    "aspectRatio must be one of 1:1, 3:4, 4:3, 9:16, 16:9",
  ],
  ["another size", { imageSize: "4K" }, "imageSize must be one of 1K, 2K"],
  ["other people", { personGeneration: "some" }, "personGeneration must be one of dont_allow"],
])("Imagen refuses %s", async (_, parameters, expected) => {
  const { status, body } = await predict("A fox", parameters);

  expect(`${status} ${textAt(body, "error", "status")}`).toBe("400 INVALID_ARGUMENT");
  expect(textAt(body, "error", "message")).toStartWith(expected);
});

test("Imagen supports no conversations, and Gemini's models no predictions", async () => {
  const talk = await post(sandbox, `models/${IMAGEN}:generateContent`, ask("hi"));
  const long = await predict("fox ".repeat(600), {});

  expect([talk.status, (await predict("A fox", {}, PRO)).status, long.status]).toEqual([
    404, 404, 400,
  ]);
  expect((await predict("[[fault:status code=429]] A fox", {})).status).toBe(429);
  const listed = await fetch(`${sandbox.url}/gemini/v1beta/models/${IMAGEN}`, {
    headers: { "x-goog-api-key": "k" },
  });
  expect(at(parseJson(await listed.text()), "supportedGenerationMethods")).toEqual(["predict"]);
});
