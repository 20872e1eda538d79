import { describe, expect, test } from "bun:test";
import {
  GoogleGenAI,
  type GenerateVideosConfig,
  type GenerateVideosOperation,
} from "@google/genai";
import type { JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { failure } from "./testing/failure.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, type ClockedSandbox } from "./testing/tasks.ts";

const MODEL = "veo-3.1-generate-preview";
const PROJECT = "projects/p/locations/us-central1/publishers/google/models/veo-3.1-generate-001";
const VERTEX = `/gemini/v1/${PROJECT}`;
const PNG = pngUrl(320, 180).split(",")[1] ?? "";
const image = { bytesBase64Encoded: PNG, mimeType: "image/png" };
const link = { uri: "https://a.example/a.png" };

/** The vendor's own client, where it is served with a key alone or to projects. */
function clientOf({ sandbox }: ClockedSandbox, vertexai = false): GoogleGenAI {
  const httpOptions = { baseUrl: `${sandbox.url}/gemini` };
  return new GoogleGenAI({ apiKey: "sk-test", vertexai, httpOptions });
}

async function finished(
  simulator: ClockedSandbox,
  prompt: string,
  config: GenerateVideosConfig = {},
  vertexai = false,
): Promise<GenerateVideosOperation> {
  const client = clientOf(simulator, vertexai);
  const operation = await client.models.generateVideos({ model: MODEL, prompt, config });
  simulator.wait(1_300);
  return client.operations.getVideosOperation({ operation });
}

function order(
  simulator: ClockedSandbox,
  parameters: JsonObject,
  instance: JsonObject = {},
  model = MODEL,
) {
  const body = { instances: [{ prompt: "a cat", ...instance }], parameters };
  return simulator.call("POST", `/gemini/v1beta/models/${model}:predictLongRunning`, body);
}

function orderInProject(
  simulator: ClockedSandbox,
  parameters: JsonObject,
  instance: JsonObject = {},
) {
  const body = { instances: [{ prompt: "a cat", ...instance }], parameters };
  return simulator.call("POST", `${VERTEX}:predictLongRunning`, body);
}

describe("an operation", () => {
  test("is not marked as done until it is, and then has the video's address", async () => {
    await using simulator = await clockedSandbox();
    const created = asObject((await order(simulator, { durationSeconds: 4 })).body);
    const path = `/gemini/v1beta/${textAt(created, "name")}`;
    const waiting = (await simulator.call("GET", path)).body;
    simulator.wait(800);
    const running = (await simulator.call("GET", path)).body;
    simulator.wait(500);

    expect(textAt(created, "name")).toMatch(
      /^models\/veo-3\.1-generate-preview\/operations\/[a-z\d]{12}$/,
    );
    expect([waiting, running]).toEqual([created, created]);
    expect((await simulator.call("GET", path)).body).toEqual({
      name: textAt(created, "name"),
      done: true,
      response: {
        "@type":
          "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
        generateVideoResponse: {
          generatedSamples: [
            { video: { uri: expect.stringMatching(/\/v1beta\/files\/\w+:download\?alt=media$/) } },
          ],
        },
      },
    });
  });

  test.each([
    ["[fail]", 13, "INTERNAL"],
    ["[expire]", 4, "DEADLINE_EXCEEDED"],
    ["[err3]", 3, "INVALID_ARGUMENT"],
    ["[err8]", 8, "RESOURCE_EXHAUSTED"],
  ])("with %s is done, with an error", async (mark, code, status) => {
    await using simulator = await clockedSandbox();
    const operation = await finished(simulator, `a cat ${mark}`);

    expect(operation.done).toBe(true);
    expect(operation.error).toMatchObject({ code, status });
    expect(operation.response).toBeUndefined();
  });

  test.each(["[rai]", "[moderate]", "[rai1]"])(
    "with %s is done without an error, and without a video",
    async (mark) => {
      await using simulator = await clockedSandbox();
      for (const vertexai of [false, true]) {
        const { error, response } = await finished(simulator, `a cat ${mark}`, {}, vertexai);

        expect(error).toBeUndefined();
        expect(response?.generatedVideos).toBeUndefined();
        expect(response?.raiMediaFilteredCount).toBe(1);
        expect(response?.raiMediaFilteredReasons).toHaveLength(1);
      }
    },
  );

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const lost = await order(simulator, {}, { prompt: "[timeout]" });
    const next = await order(simulator, {});

    expect([lost.status, next.status]).toEqual([504, 429]);
    expect(textAt(next.body, "error", "status")).toBe("RESOURCE_EXHAUSTED");
  });

  test("is shown only to its owner, under its own name, for two days", async () => {
    await using simulator = await clockedSandbox();
    const name = textAt((await order(simulator, {})).body, "name");
    const status = async (path: string, authorization?: string) =>
      (
        await simulator.call(
          "GET",
          `/gemini/v1beta/${path}`,
          undefined,
          authorization === undefined ? {} : { authorization },
        )
      ).status;

    expect(await status(name)).toBe(200);
    expect(await status(name, "Bearer other")).toBe(404);
    expect(await status(name.replace(MODEL, "veo-3.0-generate-001"))).toBe(404);
    simulator.wait(172_801_300);
    expect(await status(name)).toBe(404);
  });
});

describe("the file", () => {
  testWithFfmpeg("is a video as requested, with sound", async () => {
    await using simulator = await clockedSandbox();
    const config = { aspectRatio: "9:16", resolution: "1080p", durationSeconds: 8 };
    const { response } = await finished(simulator, "a cat", config);
    const uri = response?.generatedVideos?.[0]?.video?.uri ?? "";
    const file = await (await fetch(uri, { headers: { "x-goog-api-key": "sk-test" } })).bytes();

    expect(await probe(file, "codec_name,width,height,nb_frames")).toStartWith(
      "h264|1080|1920|192",
    );
  });

  test("requires the key, and redirects once to an address without one", async () => {
    await using simulator = await clockedSandbox();
    const { response } = await finished(simulator, "a cat");
    const uri = response?.generatedVideos?.[0]?.video?.uri ?? "";
    const get = (key: string) =>
      fetch(uri, { headers: { "x-goog-api-key": key }, redirect: "manual" });
    const named = await get("sk-test");
    const location = named.headers.get("location") ?? "";
    const part = await fetch(location, { headers: { range: "bytes=4-7" } });
    const foreign = await get("sk-other");
    const nameless = await fetch(uri);
    simulator.wait(600_000);
    const late = await fetch(location);
    simulator.wait(172_800_000);
    const gone = await get("sk-test");

    expect([named.status, foreign.status, nameless.status]).toEqual([302, 403, 403]);
    expect(asObject(JSON.parse(await foreign.text()))).toMatchObject({
      error: { status: "PERMISSION_DENIED" },
    });
    expect([part.status, await part.text(), late.status, gone.status]).toEqual([
      206,
      "ftyp",
      403,
      403,
    ]);
  });
});

describe("in a project", () => {
  test("the vendor's client polls the operation by POST, and gets the video itself", async () => {
    await using simulator = await clockedSandbox();
    const config = { numberOfVideos: 2, durationSeconds: 4, generateAudio: false };
    const { response } = await finished(simulator, "two cats [rai1]", config, true);
    const [video, ...more] = response?.generatedVideos ?? [];
    const bytes = Buffer.from(video?.video?.videoBytes ?? "", "base64");

    expect(bytes.toString("latin1", 4, 8)).toBe("ftyp");
    expect(bytes.includes("mp4a")).toBe(false);
    expect([more.length, response?.raiMediaFilteredCount]).toEqual([0, 1]);
  });

  test("or its location in a bucket, on request", async () => {
    await using simulator = await clockedSandbox();
    const given = { image: { gcsUri: "gs://b/a.png", mimeType: "image/png" } };
    const created = await orderInProject(simulator, { storageUri: "gs://b/out/" }, given);
    const operationName = textAt(created.body, "name");
    simulator.wait(1_300);
    const fetched = await simulator.call("POST", `${VERTEX}:fetchPredictOperation`, {
      operationName,
    });

    expect(operationName).toStartWith(`${PROJECT}/operations/`);
    expect(fetched).toMatchObject({
      status: 200,
      body: {
        name: operationName,
        done: true,
        response: {
          videos: [
            { gcsUri: expect.stringMatching(/^gs:\/\/b\/out\/.+\.mp4$/), mimeType: "video/mp4" },
          ],
        },
      },
    });
  });

  test("its operations are found on no other path", async () => {
    await using simulator = await clockedSandbox();
    const operationName = textAt((await orderInProject(simulator, {})).body, "name");
    const id = operationName.split("/").at(-1) ?? "";
    const other = VERTEX.replace("projects/p/", "projects/q/");

    expect((await simulator.call("GET", `/gemini/v1/${operationName}`)).status).toBe(404);
    expect(
      (await simulator.call("GET", `/gemini/v1beta/models/${MODEL}/operations/${id}`)).status,
    ).toBe(404);
    expect(
      (await simulator.call("POST", `${other}:fetchPredictOperation`, { operationName })).status,
    ).toBe(404);
  });
});

describe("accepted and refused requests", () => {
  const second = "veo-2.0-generate-001";
  const third = "veo-3.0-generate-001";
  const lite = "veo-3.1-lite-generate-preview";
  const three = { referenceImages: Array(3).fill({ image, referenceType: "asset" }) };
  const cases: [string, number, JsonObject, JsonObject, string?][] = [
    ["seconds as a text", 200, { durationSeconds: "6" }, {}],
    ["high and long", 200, { resolution: "4k", durationSeconds: 8 }, {}],
    ["high and short", 400, { resolution: "1080p", durationSeconds: 6 }, {}],
    [
      "high and upright, of the third",
      400,
      { resolution: "1080p", aspectRatio: "9:16" },
      {},
      third,
    ],
    ["high and short, of the third", 200, { resolution: "1080p", durationSeconds: 4 }, {}, third],
    ["highest, of the third", 400, { resolution: "4k" }, {}, third],
    ["highest, of the small one", 400, { resolution: "4k" }, {}, lite],
    ["any resolution, of the second", 400, { resolution: "720p" }, {}, second],
    ["seven seconds of the second", 200, { durationSeconds: 7 }, {}, second],
    ["seven seconds", 400, { durationSeconds: 7 }, {}],
    ["a square", 400, { aspectRatio: "1:1" }, {}],
    ["several", 400, { sampleCount: 2 }, {}],
    ["several, by another name", 400, { numberOfVideos: 1 }, {}],
    ["silence", 400, { generateAudio: false }, {}],
    ["a bucket", 400, { storageUri: "gs://b/c" }, {}],
    ["no people", 400, { personGeneration: "dont_allow" }, {}],
    ["all people", 200, { personGeneration: "ALLOW_ALL" }, {}],
    ["adults, with an image", 200, { personGeneration: "allow_adult" }, { image }],
    ["all people, with an image", 400, { personGeneration: "allow_all" }, { image }],
    ["a seed", 200, { seed: 4_294_967_295 }, {}],
    ["a large seed", 400, { seed: 4_294_967_296 }, {}],
    ["no words", 400, {}, { prompt: "" }],
    ["an image without a prompt", 200, {}, { prompt: "", image }],
    [
      "an image in the other spelling",
      200,
      {},
      { image: { inlineData: { data: PNG, mimeType: "image/png" } } },
    ],
    ["an image of another type", 400, {}, { image: { ...image, mimeType: "image/jpeg" } }],
    ["a link", 400, {}, { image: link }],
    ["a file in a bucket", 400, {}, { image: { gcsUri: "gs://b/a.png" } }],
    ["an end", 200, {}, { image, lastFrame: image }],
    ["an end of the third", 400, {}, { image, lastFrame: image }, third],
    ["an end without a beginning", 400, {}, { lastFrame: image }],
    ["three references", 200, {}, three],
    ["three references for six seconds", 400, { durationSeconds: 6 }, three],
    ["references and a beginning", 400, {}, { ...three, image }],
    ["four references", 400, {}, { referenceImages: Array(4).fill({ image }) }],
    ["a video to go on with", 200, {}, { video: { uri: "https://a.example/v1beta/files/x" } }],
    ["a video to go on with, in more detail", 400, { resolution: "1080p" }, { video: link }],
    ["an invalid video", 400, {}, { video: { encodedVideo: "AAAA" } }],
    ["no quota", 429, {}, { prompt: "[RESOURCE_EXHAUSTED]" }],
    ["no service", 503, {}, { prompt: "[UNAVAILABLE]" }],
    ["another model", 404, {}, {}, "gemini-2.5-flash"],
  ];
  test.each(cases)("%s: %d", async (_what, status, parameters, instance, ...[model]) => {
    await using simulator = await clockedSandbox();

    expect((await order(simulator, parameters, instance, model)).status).toBe(status);
  });

  test.each<[string, number, JsonObject]>([
    [
      "four of them, silent and lossless",
      200,
      { sampleCount: 4, generateAudio: false, compressionQuality: "lossless" },
    ],
    ["five", 400, { sampleCount: 5 }],
    ["seconds as a text", 400, { durationSeconds: "6" }],
    ["the prompt without rewriting", 400, { enhancePrompt: false }],
    ["frames a second", 400, { fps: 24 }],
    ["no people", 200, { personGeneration: "dont_allow" }],
    ["an invalid bucket", 400, { storageUri: "https://b" }],
  ])("in a project, %s: %d", async (_what, status, parameters) => {
    await using simulator = await clockedSandbox();

    expect((await orderInProject(simulator, parameters)).status).toBe(status);
  });

  test("a video model generates no text, and its error names the right method", async () => {
    await using simulator = await clockedSandbox();
    const { models } = clientOf(simulator);

    expect(await failure(models.generateContent({ model: MODEL, contents: "hi" }))).toMatchObject({
      status: 429,
      message: expect.stringContaining("predictLongRunning"),
    });
    expect(
      at(
        (await simulator.call("GET", `/gemini/v1beta/models/${MODEL}`)).body,
        "supportedGenerationMethods",
      ),
    ).toEqual(["predictLongRunning"]);
  });

  test("the faults of all vendors have this vendor's format", async () => {
    await using simulator = await clockedSandbox();

    expect(await order(simulator, {}, { prompt: "[[fault:status code=503]]" })).toMatchObject({
      status: 503,
      body: { error: { code: 503, status: "UNAVAILABLE" } },
    });
  });
});
