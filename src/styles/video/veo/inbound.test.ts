import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { aTask, LINKS, STATUSES } from "#test/a-task.ts";
import { fileNameOf, readFileName } from "./file-name.ts";
import { longPredictions } from "./inbound.ts";
import { parseTask } from "./parse.ts";

const { inbound } = longPredictions;
const PICTURE = { bytesBase64Encoded: "AAAA", mimeType: "image/png" };
const SOURCE = { kind: "base64", base64: "AAAA", mediaType: "image/png" } as const;

const read = (instance: JsonObject, parameters: JsonObject = {}, more: JsonObject = {}) =>
  inbound.read({ instances: [instance], parameters, ...more }, { model: "m" });

describe("a prediction is read", () => {
  test("with all its parameters", () => {
    expect(
      read(
        { prompt: "a fox" },
        {
          aspectRatio: "9:16",
          resolution: "1080P",
          durationSeconds: "8",
          negativePrompt: "dogs",
          personGeneration: "allow_adult",
          sampleCount: 2,
          seed: 7,
          generateAudio: false,
          enhancePrompt: true,
          fps: 24,
          addWatermark: false,
          compressionQuality: "lossless",
        },
        { webhookConfig: { uris: ["https://caller.example"] } },
      ),
    ).toEqual({
      model: "m",
      scenario: "text",
      media: [],
      prompt: "a fox",
      ratio: "9:16",
      resolution: "1080p",
      seconds: 8,
      negativePrompt: "dogs",
      people: "allow_adult",
      count: 2,
      seed: 7,
      audio: false,
      rewrite: true,
      framesPerSecond: 24,
      watermark: false,
      extra: {
        "video-veo": {
          compressionQuality: "lossless",
          webhookConfig: { uris: ["https://caller.example"] },
        },
      },
    });
  });

  test.each([
    [{ image: PICTURE }, "first_frame", ["image first_frame"]],
    [
      { image: { inlineData: { mimeType: "image/png", data: "AAAA" } } },
      "first_frame",
      ["image first_frame"],
    ],
    [
      { image: PICTURE, lastFrame: PICTURE },
      "first_last",
      ["image first_frame", "image last_frame"],
    ],
    [
      { referenceImages: [{ image: PICTURE, referenceType: "asset" }, { image: PICTURE }] },
      "reference",
      ["image reference", "image reference"],
    ],
    [{ video: { uri: "https://files.example/v" } }, "omni", ["video base"]],
  ])("with its media: %j", (instance, scenario, roles) => {
    const question = read(instance);

    expect(question.scenario as string).toBe(scenario);
    expect(question.media.map(({ type, role }) => `${type} ${role}`)).toEqual([...roles]);
    for (const { type, source } of question.media) {
      if (type === "image") expect(source).toEqual(SOURCE);
    }
  });

  test("with vendor-specific fields", () => {
    const { media } = read({ image: { gcsUri: "gs://mine/a.png", mimeType: "image/png" } });

    expect(media[0]?.source).toEqual({ kind: "reference", id: "gs://mine/a.png" });
  });

  test.each<JsonObject>([
    {},
    { instances: [] },
    { instances: [{}, {}] },
    { instances: [7] },
    { instances: [{ prompt: 7 }] },
    { instances: [{ image: "AAAA" }] },
    { instances: [{ image: {} }] },
    { instances: [{ referenceImages: [{}] }] },
    { instances: [{ referenceImages: [{ image: PICTURE, referenceType: "style" }] }] },
    { instances: [{ prompt: "x", mask: PICTURE }] },
    { instances: [{ prompt: "x" }], parameters: { durationSeconds: "long" } },
    { instances: [{ prompt: "x" }], parameters: { sampleCount: 0 } },
    { instances: [{ prompt: "x" }], parameters: [] },
  ])("not of %j", (body) => {
    expect(() => inbound.read(body, { model: "m" })).toThrow(GatewayError);
  });
});

const fileUrl = (index: number) =>
  `${LINKS.filesUrl}/${fileNameOf("task_1", index)}:download?alt=media`;

test.each([0, 1, 35, 36, 999])("a file name has letters and digits only: video %d", (index) => {
  const name = fileNameOf("task_aB3_z", index);

  expect(name).toMatch(/^[a-z0-9]+$/);
  expect(readFileName(name)).toEqual({ taskId: "task_aB3_z", index });
  expect(readFileName("someone-elses")).toBeUndefined();
});

describe("an operation is written", () => {
  const written = (more: Parameters<typeof aTask>[0]) => inbound.writeTask(aTask(more), LINKS);

  test("[B3.1] as done after its end, and as its name only before", () => {
    const done = STATUSES.map((status) => written({ status })["done"]);

    expect(done).toEqual([undefined, undefined, undefined, undefined, true, true]);
    expect(written({ status: "running" })).toEqual({
      name: "models/a-model/operations/task_1",
    });
    expect(inbound.writeSubmitted(aTask())).toEqual({ name: "models/a-model/operations/task_1" });
  });

  test("with links to the gateway only, since clients send their key to every link", () => {
    const videos = [
      { url: "https://cdn.example/1.mp4" },
      { url: "https://cdn.example/2.mp4", mediaType: "video/webm" },
    ];

    expect(inbound.writeTask(aTask({ status: "succeeded" }), { ...LINKS, videos })).toEqual({
      name: "models/a-model/operations/task_1",
      done: true,
      response: {
        "@type":
          "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse",
        generateVideoResponse: {
          generatedSamples: [
            { video: { uri: fileUrl(0), encoding: "video/mp4" } },
            { video: { uri: fileUrl(1), encoding: "video/webm" } },
          ],
        },
      },
    });
  });

  test.each([
    ["INVALID_ARGUMENT", 3],
    ["task_cancelled", 1],
    ["task_timeout", 4],
    ["task_expired", 4],
    ["whatever", 13],
  ])("with its reason if it failed: %s is %d", (code, number) => {
    expect(written({ status: "failed", failure: { code, message: "No." } })).toEqual({
      name: "models/a-model/operations/task_1",
      done: true,
      error: { code: number, message: "No." },
    });
  });

  test("that was filtered has no failure and no videos, and is shown as filtered in every format", () => {
    const failure = { code: "content_filtered", message: "It is not allowed." };
    const operation = written({ status: "failed", failure });

    expect(operation).not.toHaveProperty("error");
    expect(parseTask(operation)).toEqual({ state: "failed", failure });
  });
});

test("failures have the native style's format", () => {
  expect(inbound.buildError(new GatewayError("not_found", "No."))).toEqual({
    error: { code: 404, message: "No.", status: "NOT_FOUND" },
  });
});
