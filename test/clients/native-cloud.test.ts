import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { GoogleGenAI, type GenerateVideosOperation } from "@google/genai";
import { mp4Boxes } from "@sluice/sandbox/testing/media-files.ts";
import { KEY, type TestGateway } from "#test/harness.ts";
import { openClientsGateway } from "#test/languages/gateway.ts";
import { waitFor } from "#test/wait.ts";

const TEXT = "gemini-2.5-flash";
const PROJECT = "projects/p/locations/us-central1/";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openClientsGateway();
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Its cloud mode with a key: pictures and videos are made in that mode alone. */
const client = (apiVersion: string): GoogleGenAI =>
  new GoogleGenAI({
    vertexai: true,
    apiKey: KEY,
    httpOptions: { baseUrl: gateway.url, apiVersion },
  });

describe.each(["v1beta1", "v1"])("the native client in its cloud mode, at %s", (version) => {
  test("gets text, complete and streamed, and token counts", async () => {
    const { models } = client(version);
    const asked = { model: TEXT, contents: "Say hello." };
    const whole = await models.generateContent(asked);
    let streamed = "";
    for await (const { text = "" } of await models.generateContentStream(asked)) streamed += text;
    const { totalTokens = 0 } = await models.countTokens(asked);

    expect(whole.text).not.toBe("");
    expect(streamed).not.toBe("");
    expect(totalTokens).toBeGreaterThan(0);
  });

  test("gets embeddings", async () => {
    const { embeddings } = await client(version).models.embedContent({
      model: "gemini-embedding-001",
      contents: ["a", "b"],
      config: { outputDimensionality: 128 },
    });

    expect(embeddings?.map(({ values }) => values?.length)).toEqual([128, 128]);
    expect(embeddings?.[0]?.statistics?.tokenCount).toBeGreaterThan(0);
  });

  test("gets images, of models of any family", async () => {
    for (const model of ["imagen-4.0-generate-001", "gpt-image-1", "gemini-2.5-flash-image"]) {
      const { generatedImages } = await client(version).models.generateImages({
        model,
        prompt: "a fox",
        config: { numberOfImages: 1 },
      });

      expect(generatedImages?.length).toBe(1);
      expect(generatedImages?.[0]?.image?.imageBytes?.length).toBeGreaterThan(100);
      expect(generatedImages?.[0]?.image?.mimeType).toStartWith("image/");
    }
  });

  test("gets a video, which is in the response", async () => {
    const { models, operations } = client(version);
    let operation: GenerateVideosOperation = await models.generateVideos({
      model: "veo-3.1-generate-preview",
      source: { prompt: "a fox" },
      config: { durationSeconds: 8, aspectRatio: "16:9" },
    });
    await waitFor(async () => {
      operation = await operations.getVideosOperation({ operation });
      return operation.done === true;
    }, 20_000);

    expect(operation.name).toStartWith("publishers/google/models/veo-3.1-generate-preview/");
    const bytes = operation.response?.generatedVideos?.[0]?.video?.videoBytes ?? "";
    const boxes = mp4Boxes(new Uint8Array(Buffer.from(bytes, "base64")));
    expect(boxes.map(({ path }) => path)).toContain("moov/trak/mdia");
  }, 40_000);
});

describe.each(["/v1/", "/v1beta1/"])("a project's path, below %s", (version) => {
  const below = `${version}${PROJECT}publishers/google/models`;

  test("serves every operation", async () => {
    const contents = [{ role: "user", parts: [{ text: "Say hello." }] }];
    const text = await gateway.post(`${below}/${TEXT}:generateContent`, { contents });
    const picture = await gateway.post(`${below}/imagen-4.0-generate-001:predict`, {
      instances: [{ prompt: "a fox" }],
      parameters: { sampleCount: 2 },
    });
    const { predictions } = (await picture.json()) as { predictions: unknown[] };

    expect(text.status).toBe(200);
    expect(predictions).toHaveLength(2);
    expect(predictions[0]).toMatchObject({ mimeType: "image/png" });
  });

  test("names operations as the vendor does, and serves them by GET, too", async () => {
    const model = "veo-3.1-generate-preview";
    const begun = await gateway.post(`${below}/${model}:predictLongRunning`, {
      instances: [{ prompt: "a fox" }],
    });
    const { name } = (await begun.json()) as { name: string };
    const found = await gateway.get(`${version}${name}`);
    const unknown = await gateway.post(`${below}/${model}:fetchPredictOperation`, {
      operationName: `${PROJECT}publishers/google/models/${model}/operations/none`,
    });

    expect(name).toStartWith(`${PROJECT}publishers/google/models/${model}/operations/task_`);
    expect(await found.json()).toMatchObject({ name });
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
  });

  test("lists models by their publisher", async () => {
    const { publisherModels } = (await (await gateway.get(below)).json()) as {
      publisherModels: { name: string }[];
    };
    const one = await gateway.get(`${below}/${TEXT}`);

    expect(publisherModels.map(({ name }) => name)).toContain(`publishers/google/models/${TEXT}`);
    expect(await one.json()).toMatchObject({ name: `publishers/google/models/${TEXT}` });
  });
});

describe("a prediction", () => {
  const predict = async (body: unknown, model = "imagen-4.0-generate-001") => {
    const answer = await gateway.post(`/v1beta/models/${model}:predict`, body);
    return { status: answer.status, body: await answer.json() };
  };

  test("is refused in the native style, with the invalid field", async () => {
    expect(await predict({ instances: [] })).toMatchObject({
      status: 400,
      body: { error: { code: 400, status: "INVALID_ARGUMENT" } },
    });
    expect(await predict({ instances: [{}] })).toMatchObject({
      status: 400,
      body: { error: { message: "'instances[0].prompt' is required." } },
    });
  });

  test("accepts images and a mask", async () => {
    const picture = { bytesBase64Encoded: PNG, mimeType: "image/png" };
    const edit = (...types: readonly string[]) =>
      predict(
        {
          instances: [
            {
              prompt: "a blue fox",
              referenceImages: types.map((type) => ({
                referenceType: `REFERENCE_TYPE_${type}`,
                referenceImage: picture,
              })),
            },
          ],
        },
        "gpt-image-1",
      );

    expect(await edit("RAW")).toMatchObject({ status: 200 });
    // The vendor looks at the mask, and wants one with an alpha channel.
    expect(await edit("RAW", "MASK")).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining("mask") } },
    });
    expect(await edit("STYLE")).toMatchObject({ status: 400 });
  });
});

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=";

describe("a text request for a model without text", () => {
  const contents = [{ role: "user", parts: [{ text: "A fox, please." }] }];

  test.each([
    ["gpt-image-1", "/v1/images/generations"],
    ["dall-e-3", "/v1/images/generations"],
    ["imagen-4.0-generate-001", "/v1/images/generations"],
    ["doubao-seedream-4-0-250828", "/v1/images/generations"],
    ["sora-2", "/v1/videos"],
    ["doubao-seedance-1-0-pro-250528", "/v1/videos"],
    ["veo-3.1-generate-preview", "/v1/videos"],
  ])("is refused with the path for its kind: %s", async (model, path) => {
    const native = await gateway.post(`/v1beta/models/${model}:generateContent`, { contents });
    const chat = await gateway.post("/v1/chat/completions", {
      model,
      messages: [{ role: "user", content: "A fox, please." }],
    });

    expect([native.status, chat.status]).toEqual([404, 404]);
    expect(await native.text()).toContain(`at POST ${path}.`);
    expect(await chat.text()).toContain(`at POST ${path}.`);
  });

  test("is accepted by models that make images within a conversation", async () => {
    const answer = await gateway.post("/v1beta/models/gemini-2.5-flash-image:generateContent", {
      contents,
    });

    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("inlineData");
  });
});
