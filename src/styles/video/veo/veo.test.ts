import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { veo } from "./index.ts";

const { parseSubmitted, parseTask, parseContent, parseError } = veo.outbound;
const look = (body: JsonObject) => parseTask(body, task("veo"), 200);

const NAME = "models/veo-3.1-generate-preview/operations/abc123";
const LONG = `projects/example.com:p-1/locations/us-central1/publishers/google/${NAME}`;
const URI = "https://generativelanguage.example/v1beta/files/xyz:download?alt=media";
const done = (response: JsonObject): JsonObject => ({ name: NAME, done: true, response });

describe("an operation", () => {
  test.each([NAME, LONG])("is found by its name: %s", (name) => {
    expect(parseSubmitted({ name })).toBe(name);
  });

  test.each([
    undefined,
    "",
    5,
    "operations",
    "models/m/operations/",
    "../../files/1/operations/2",
    "models/m/operations/1?key=2",
    "models/m/operations/a b",
    "https://elsewhere.example/operations/1",
    `models/${"m".repeat(300)}/operations/1`,
  ])("has no name with another path: %p", (name) => {
    expect(failureOf(() => parseSubmitted({ ...(name !== undefined && { name }) }))).toStartWith(
      "upstream_failed",
    );
  });

  test.each<JsonObject>([
    { name: NAME },
    { name: NAME, done: false },
    { name: NAME, done: null, metadata: { progress: 5 } },
    { name: NAME, done: "yes" },
  ])("continues if it is not done: %p", (body) => {
    expect(look(body)).toEqual({ state: "running" });
  });

  test.each<[string, JsonObject]>([
    ["samples", { generateVideoResponse: { generatedSamples: [{ video: { uri: URI } }] } }],
    ["videos", { generateVideoResponse: { generatedVideos: [{ video: { uri: URI } }] } }],
    ["a flat list", { generatedVideos: [{ video: { uri: URI } }] }],
  ])("is done, with %s", (_what, response) => {
    expect(look(done(response))).toEqual({ state: "succeeded", videos: [{ url: URI }] });
    expect(parseContent?.(done(response), 0)).toBeUndefined();
  });

  test("may have the videos themselves, which stay in the response", () => {
    const body = done({
      videos: [
        { bytesBase64Encoded: "AAAA", mimeType: "video/mp4" },
        { gcsUri: "gs://ours/1.mp4" },
        { bytesBase64Encoded: "BBBB" },
      ],
    });

    expect(look(body)).toEqual({
      state: "succeeded",
      videos: [{ url: "", mediaType: "video/mp4" }, { url: "" }],
    });
    const held = (index: number) => parseContent?.(body, index);
    expect(held(0)).toEqual({ kind: "base64", base64: "AAAA", mediaType: "video/mp4" });
    expect(held(1)).toEqual({ kind: "base64", base64: "BBBB", mediaType: "video/mp4" });
    expect(held(2)).toBeUndefined();
    expect(held(-1)).toBeUndefined();
  });

  test("may have them under another name", () => {
    const video = { encodedVideo: "AAAA", encoding: "video/webm" };
    const body = done({ generateVideoResponse: { generatedSamples: [{ video }] } });

    expect(parseContent?.(body, 0)).toEqual({
      kind: "base64",
      base64: "AAAA",
      mediaType: "video/webm",
    });
    const odd = { encodedVideo: "AAAA", encoding: "text/html" };
    const page = done({ generateVideoResponse: { generatedSamples: [{ video: odd }] } });
    expect(parseContent?.(page, 0)?.mediaType).toBe("video/mp4");
  });

  test.each<JsonObject>([
    { generateVideoResponse: { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["Unsafe."] } },
    { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["Unsafe."] },
    { raiMediaFilteredReasons: ["", "Unsafe."] },
  ])("whose videos were all filtered has failed: %p", (response) => {
    expect(look(done(response))).toEqual({
      state: "failed",
      failure: { code: "content_filtered", message: "Unsafe." },
    });
  });

  test("with some videos filtered has not failed", () => {
    const videos = [{ bytesBase64Encoded: "AAAA" }];

    expect(look(done({ videos, raiMediaFilteredCount: 1 }))).toMatchObject({
      state: "succeeded",
      videos: [{ url: "" }],
    });
    expect(look(done({ raiMediaFilteredCount: 1 }))).toMatchObject({
      failure: { message: "The upstream filtered the video out." },
    });
  });

  test("that is done without a result has no video", () => {
    expect(look(done({}))).toEqual({ state: "succeeded", videos: [] });
    expect(look({ name: NAME, done: true })).toEqual({ state: "succeeded", videos: [] });
    expect(look(done({ raiMediaFilteredCount: 0, videos: [{}] }))).toMatchObject({ videos: [] });
  });

  test.each<[JsonObject, string]>([
    [{ code: 3, message: "m", status: "INVALID_ARGUMENT" }, "INVALID_ARGUMENT"],
    [{ code: 3, message: "m" }, "INVALID_ARGUMENT"],
    [{ code: 8, message: "m" }, "RESOURCE_EXHAUSTED"],
    [{ code: 13, message: "m" }, "INTERNAL"],
    [{ code: 14, message: "m" }, "UNAVAILABLE"],
    [{ code: 1, message: "m" }, "task_cancelled"],
    [{ code: 99, message: "m" }, "task_failed"],
    [{ message: "m" }, "task_failed"],
  ])("that ended with %p has failed by %s", (error, code) => {
    expect(look({ name: NAME, done: true, error })).toMatchObject({
      state: "failed",
      failure: { code },
    });
  });
});

test.each<[number, string, FaultCode]>([
  [400, "INVALID_ARGUMENT", "upstream_rejected"],
  [401, "UNAUTHENTICATED", "upstream_auth"],
  [403, "PERMISSION_DENIED", "upstream_refused"],
  [404, "NOT_FOUND", "upstream_model_missing"],
  [429, "RESOURCE_EXHAUSTED", "upstream_rate_limited"],
  [500, "INTERNAL", "upstream_failed"],
  [503, "UNAVAILABLE", "upstream_overloaded"],
  [504, "DEADLINE_EXCEEDED", "upstream_timeout"],
])("a refusal of %d %s is %s, within a successful response as well", (code, status, expected) => {
  const body = { error: { code, message: "Why not.", status, details: [] } };

  expect(parseError(code, JSON.stringify(body)).code).toBe(expected);
  expect(failureOf(() => parseSubmitted(body))).toStartWith(expected);
  expect(failureOf(() => look(body))).toStartWith(expected);
});
