import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { arkVideos } from "./index.ts";

const { parseSubmitted, parseTask, parseError } = arkVideos.outbound;
const look = (body: JsonObject) => parseTask(body, task("m"), 200);

const ID = "cgt-20260101120000-ab3de";
const VIDEO =
  "https://cdn.example/v.mp4?X-Tos-Date=20260101T120000Z&X-Tos-Expires=86400&X-Tos-Signature=s";
const LAST = "https://cdn.example/l.png?X-Tos-Expires=86400";

const DONE: JsonObject = {
  id: ID,
  model: "m-2-0",
  status: "succeeded",
  error: null,
  content: { video_url: VIDEO, last_frame_url: LAST },
  usage: { completion_tokens: 108_900, total_tokens: 108_900 },
  created_at: 1_767_268_800,
  updated_at: 1_767_268_921,
  seed: 42,
  resolution: "720p",
  ratio: "16:9",
  duration: 5,
  framespersecond: 24,
  generate_audio: true,
};

describe("a task", () => {
  test("that was accepted has an id", () => {
    expect(parseSubmitted({ id: ID })).toBe(ID);
    expect(failureOf(() => parseSubmitted({}))).toStartWith("upstream_failed");
    expect(failureOf(() => parseSubmitted({ id: "" }))).toStartWith("upstream_failed");
  });

  test.each([
    ["queued", "queued"],
    ["pending", "queued"],
    ["submitted", "queued"],
    ["running", "running"],
    ["processing", "running"],
    ["something new", "running"],
  ])("that is '%s' is %s", (status, state) => {
    expect(look({ id: ID, status, error: null })).toEqual({ state } as ReturnType<typeof look>);
  });

  test("that is done has its video's link, properties and usage", () => {
    expect(look(DONE)).toEqual({
      state: "succeeded",
      videos: [{ url: VIDEO, lastFrameUrl: LAST, seconds: 5 }],
      linksEndAt: Date.UTC(2026, 0, 2, 12),
      facts: {
        seconds: 5,
        resolution: "720p",
        ratio: "16:9",
        framesPerSecond: 24,
        seed: 42,
        audio: true,
      },
      usage: {
        inputTokens: 0,
        cachedInputTokens: 0,
        cacheWriteTokens: 0,
        audioInputTokens: 0,
        outputTokens: 108_900,
        reasoningTokens: 0,
        audioOutputTokens: 0,
        durationMs: 5_000,
        grade: "720p audio",
        isEstimated: false,
      },
    });
  });

  test("that searched the web has the number of searches", () => {
    const usage = { completion_tokens: 9, tool_usage: { web_search: 2 } };

    expect(look({ ...DONE, usage })).toMatchObject({ usage: { outputTokens: 9, searches: 2 } });
  });

  test("that was requested in frames has their length", () => {
    const { duration: _, ...rest } = DONE;

    expect(look({ ...rest, frames: 120 })).toMatchObject({ usage: { durationMs: 5_000 } });
  });

  test("without usage is charged by the expected usage", () => {
    for (const usage of [null, {}, { completion_tokens: 0 }, { completion_tokens: "9" }]) {
      expect(look({ ...DONE, usage })).not.toHaveProperty("usage");
    }
  });

  test("that is done without a video has none", () => {
    for (const content of [null, {}, { video_url: "" }, { video_url: "file:///etc/passwd" }]) {
      expect(look({ ...DONE, content })).toMatchObject({ state: "succeeded", videos: [] });
    }
  });

  test("that failed has its reason, with the gateway's code for blocked content", () => {
    const failed = (error: JsonObject[string]) => look({ id: ID, status: "failed", error });

    expect(
      failed({
        code: "OutputVideoSensitiveContentDetected.PolicyViolation",
        message: "The video may violate a policy.",
      }),
    ).toEqual({
      state: "failed",
      failure: { code: "content_filtered", message: "The video may violate a policy." },
    });
    expect(failed({ code: "InternalServiceError", message: "Try again." })).toEqual({
      state: "failed",
      failure: { code: "InternalServiceError", message: "Try again." },
    });
    expect(failed(null)).toEqual({
      state: "failed",
      failure: { code: "task_failed", message: "The upstream could not make the video." },
    });
  });

  test("that failed may have its reason in another field", () => {
    const reason = { code: "OutputAudioSensitiveContentDetected", message: "No." };

    expect(look({ status: "failed", failure_reason: reason })).toMatchObject({
      failure: { code: "content_filtered" },
    });
    expect(look({ status: "failed", failure_reason: "Too long." })).toMatchObject({
      failure: { code: "task_failed", message: "Too long." },
    });
  });

  test.each([
    ["cancelled", "task_cancelled"],
    ["canceled", "task_cancelled"],
    ["expired", "task_expired"],
  ])("that is %s has failed", (status, code) => {
    expect(look({ id: ID, status, error: null })).toMatchObject({
      state: "failed",
      failure: { code },
    });
  });

  test("reveals nothing of the gateway's account to clients", () => {
    const error = { code: "AccountOverdueError", message: "Account 21000 owes 3 CNY." };

    expect(JSON.stringify(look({ status: "failed", error }))).not.toContain("owes");
  });
});

describe("a refusal is read, with its status and within a successful response", () => {
  test.each<[number, string, FaultCode]>([
    [400, "MissingParameter", "upstream_rejected"],
    [400, "InvalidParameter.UnsupportedParameter", "upstream_rejected"],
    [400, "InvalidImageURL.EmptyURL", "upstream_rejected"],
    [400, "InvalidEndpoint.ClosedEndpoint", "upstream_overloaded"],
    [400, "InputTextSensitiveContentDetected", "content_filtered"],
    [400, "InputImageSensitiveContentDetected.PrivacyInformation", "content_filtered"],
    [400, "InputTextRiskDetection", "content_filtered"],
    [400, "InputImageRiskDetection", "content_filtered"],
    [401, "AuthenticationError", "upstream_auth"],
    [401, "InvalidAccountStatus", "upstream_auth"],
    [403, "AccountOverdueError", "upstream_auth"],
    [403, "AccessDenied", "upstream_refused"],
    [403, "OperationDenied.ServiceNotOpen", "upstream_auth"],
    [404, "InvalidEndpointOrModel.NotFound", "upstream_model_missing"],
    [404, "InvalidEndpointOrModel.ModelIDAccessDisabled", "upstream_model_missing"],
    [404, "ModelNotOpen", "upstream_model_missing"],
    [429, "RateLimitExceeded.EndpointRPMExceeded", "upstream_rate_limited"],
    [429, "ModelAccountRpmRateLimitExceeded", "upstream_rate_limited"],
    [429, "ModelAccountIpmRateLimitExceeded", "upstream_rate_limited"],
    [429, "APIAccountRpmRateLimitExceeded", "upstream_rate_limited"],
    [429, "AccountRateLimitExceeded", "upstream_rate_limited"],
    [429, "RequestBurstTooFast", "upstream_rate_limited"],
    [429, "InflightBatchsizeExceeded", "upstream_rate_limited"],
    [429, "QuotaExceeded", "upstream_rate_limited"],
    [429, "SetLimitExceeded", "upstream_rate_limited"],
    [429, "ServerOverloaded", "upstream_overloaded"],
    [500, "InternalServiceError", "upstream_failed"],
    [500, "ContentSecurityDetectionError", "upstream_failed"],
  ])("%d %s", (status, code, expected) => {
    const body = { error: { code, message: "Why not.", param: "", type: "x" }, request_id: "02" };

    expect(parseError(status, JSON.stringify(body)).code).toBe(expected);
    expect(failureOf(() => parseSubmitted(body))).toStartWith(expected);
    expect(failureOf(() => look(body))).toStartWith(expected);
  });
});
