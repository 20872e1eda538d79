import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { wan } from "./index.ts";

const { parseSubmitted, parseTask, parseError } = wan.outbound;
const look = (output: JsonObject, rest: JsonObject = {}) =>
  parseTask({ request_id: "4909", output, ...rest }, task("wan2.6-t2v"), 200);

const ID = "0385dc79-5ff8-4d82-bcb6-d7f5a4f5b1c0";
const VIDEO = "https://dashscope-result.example/v.mp4?Expires=1767355200&Signature=s";
const SUCCEEDED = { task_id: ID, task_status: "SUCCEEDED", video_url: VIDEO };
const USAGE = {
  video_count: 1,
  duration: 5,
  output_video_duration: 5,
  input_video_duration: 0,
  SR: 720,
  size: "1280*720",
};

describe("a task", () => {
  test("that was accepted has an id", () => {
    const output = { task_id: ID, task_status: "PENDING" };

    expect(parseSubmitted({ output, request_id: "4909" })).toBe(ID);
    expect(failureOf(() => parseSubmitted({ output: {} }))).toStartWith("upstream_failed");
    expect(failureOf(() => parseSubmitted({}))).toStartWith("upstream_failed");
  });

  test.each([
    ["PENDING", "queued"],
    ["SUSPENDED", "queued"],
    ["RUNNING", "running"],
    ["POSTPROCESSING", "running"],
  ])("that is %s is %s", (status, state) => {
    expect(look({ task_id: ID, task_status: status })).toEqual({
      state,
    } as ReturnType<typeof look>);
  });

  test("that is done has its video's link, properties and expiry", () => {
    expect(look(SUCCEEDED, { usage: USAGE })).toEqual({
      state: "succeeded",
      videos: [{ url: VIDEO, seconds: 5 }],
      facts: { seconds: 5, resolution: "720p", size: "1280x720" },
      usage: expect.objectContaining({ durationMs: 5_000, grade: "720p", isEstimated: false }),
      linksEndAt: 1_767_355_200_000,
    });
  });

  test("is charged with its input, and by its sound if that is known", () => {
    const usage = { ...USAGE, duration: 9, input_video_duration: 4 };
    const body = { output: SUCCEEDED, usage };

    expect(parseTask(body, task("wan2.6-r2v", { audio: true }), 200)).toMatchObject({
      videos: [{ seconds: 5 }],
      facts: { seconds: 5 },
      usage: { durationMs: 9_000, grade: "720p audio" },
    });
  });

  test("of the first generation has other usage fields", () => {
    const usage = { video_count: 1, video_duration: 5, video_ratio: "1280*720" };

    expect(look(SUCCEEDED, { usage })).toMatchObject({ facts: { seconds: 5 } });
    expect(look(SUCCEEDED, { usage })).not.toHaveProperty("usage");
    expect(look(SUCCEEDED, { usage: { duration: "5", SR: "1080" } })).toMatchObject({
      facts: { seconds: 5, resolution: "1080p" },
      usage: { durationMs: 5_000, grade: "1080p" },
    });
  });

  test("between two frames has its video in another field", () => {
    const output = { task_status: "SUCCEEDED", results: { video_url: VIDEO } };

    expect(look(output)).toMatchObject({ videos: [{ url: VIDEO }] });
  });

  test("that is done without a video has none", () => {
    for (const url of ["", null, 5, "oss://bucket/v.mp4"]) {
      expect(look({ ...SUCCEEDED, video_url: url })).toMatchObject({ videos: [] });
    }
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { code: "DataInspectionFailed", message: "It may be inappropriate." },
      { code: "content_filtered", message: "It may be inappropriate." },
    ],
    [
      { code: "InternalError.Algo", message: "Sorry." },
      { code: "InternalError.Algo", message: "Sorry." },
    ],
    [{}, { code: "task_failed", message: "The upstream could not make the video." }],
    [
      { code: "", message: "" },
      { code: "task_failed", message: "The upstream could not make the video." },
    ],
  ])("that failed with %p has that reason", (why, failure) => {
    const failed: unknown = look({ task_id: ID, task_status: "FAILED", ...why });

    expect(failed).toEqual({ state: "failed", failure });
  });

  test("that failed may have its reason beside it", () => {
    const why = { code: "InvalidParameter", message: "Too small." };

    expect(look({ task_status: "FAILED" }, why)).toMatchObject({ failure: why });
  });

  test.each([
    ["CANCELED", "task_cancelled"],
    ["CANCELLED", "task_cancelled"],
    ["UNKNOWN", "task_expired"],
  ])("that is %s has failed", (status, code) => {
    expect(look({ task_id: ID, task_status: status })).toMatchObject({
      state: "failed",
      failure: { code },
    });
  });
});

test.each<[number, string, FaultCode]>([
  [400, "InvalidParameter", "upstream_rejected"],
  [400, "InvalidURL", "upstream_rejected"],
  [400, "UnsupportedOperation", "upstream_rejected"],
  [400, "DataInspectionFailed", "content_filtered"],
  [400, "Arrearage", "upstream_auth"],
  [401, "InvalidApiKey", "upstream_auth"],
  [403, "AccessDenied", "upstream_refused"],
  [403, "Model.AccessDenied", "upstream_auth"],
  [403, "AccessDenied.Unpurchased", "upstream_auth"],
  [404, "ModelNotFound", "upstream_model_missing"],
  [429, "Throttling", "upstream_rate_limited"],
  [429, "Throttling.RateQuota", "upstream_rate_limited"],
  [429, "Throttling.AllocationQuota", "upstream_rate_limited"],
  [500, "InternalError", "upstream_failed"],
  [500, "ModelServiceFailed", "upstream_failed"],
  [500, "RequestTimeOut", "upstream_timeout"],
])("a refusal of %d %s is %s, within a successful response as well", (status, code, expected) => {
  const body = { code, message: "Why not.", request_id: "4909" };

  expect(parseError(status, JSON.stringify(body)).code).toBe(expected);
  expect(failureOf(() => parseSubmitted(body))).toStartWith(expected);
  expect(failureOf(() => parseTask(body, task("m"), 200))).toStartWith(expected);
});
