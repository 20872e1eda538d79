import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "#core/usage.ts";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { minimaxVideo, olderMinimaxVideo } from "./index.ts";

const { parseSubmitted, parseError } = minimaxVideo.outbound;

function look(body: JsonObject) {
  return minimaxVideo.outbound.parseTask({ task: body }, task("MiniMax-H3"), 200);
}

function older(body: JsonObject) {
  return olderMinimaxVideo.outbound.parseTask(body, task("T2V-01"), 200);
}

const DONE = {
  id: "424010985738629",
  model: "MiniMax-H3",
  status: "succeeded",
  created_at: 1_785_125_529,
  content: { url: "https://cdn.test/x.mp4?y" },
  resolution: "2K",
  duration: 5,
  ratio: "16:9",
  usage: {
    total_seconds: 5,
    input_seconds: 0,
    output_seconds: 5,
    input_image_count: 1,
    total_tokens: 273_890,
    prompt_tokens: 13_500,
    completion_tokens: 260_390,
  },
};

describe("a MiniMax response", () => {
  test("is an id", () => {
    expect(parseSubmitted({ task_id: "424010985738629" })).toBe("424010985738629");
    expect(
      parseSubmitted({ task_id: "1", base_resp: { status_code: 0, status_msg: "success" } }),
    ).toBe("1");
  });

  test.each([
    ["invalid_request_error", 400, "upstream_rejected"],
    ["authentication_error", 401, "upstream_auth"],
    ["insufficient_balance", 402, "upstream_auth"],
    ["billing", 403, "upstream_auth"],
    ["rate_limit_error", 429, "upstream_rate_limited"],
    ["content_moderation", 400, "content_filtered"],
    ["invalid_request_error", 422, "content_filtered"],
    ["api_error", 500, "upstream_failed"],
  ])("of the type %s with status %i is a failure: %s", (type, status, code) => {
    const body = {
      type: "error",
      error: { type, message: "no", http_code: String(status) },
      request_id: "0573",
    };

    expect(parseError(status, JSON.stringify(body)).code).toBe(code as "upstream_auth");
  });

  test("may have a failure within a success", () => {
    const body = { type: "error", error: { type: "x", message: "no", http_code: "429" } };

    expect(failureOf(() => parseSubmitted(body))).toStartWith("upstream_rate_limited");
    expect(failureOf(() => minimaxVideo.outbound.parseTask(body, task("m"), 200))).toStartWith(
      "upstream_rate_limited",
    );
  });

  test.each([
    [1_000, "upstream_failed"],
    [1_001, "upstream_timeout"],
    [1_002, "upstream_rate_limited"],
    [1_004, "upstream_auth"],
    [1_008, "upstream_auth"],
    [1_013, "upstream_failed"],
    [1_026, "content_filtered"],
    [1_027, "content_filtered"],
    [1_039, "upstream_rate_limited"],
    [2_013, "upstream_rejected"],
    [2_049, "upstream_auth"],
    [9_999, "upstream_rejected"],
  ])("with the code %i is %s, with any status", (code, fault) => {
    const body = { task_id: "", base_resp: { status_code: code, status_msg: "no" } };

    expect(failureOf(() => parseSubmitted(body))).toStartWith(fault);
    expect(failureOf(() => older(body))).toStartWith(fault);
  });

  test("without an id leaves the result unknown", () => {
    expect(failureOf(() => parseSubmitted({}))).toStartWith("upstream_failed");
    expect(parseError(502, "<html>").code).toBe("upstream_failed");
  });
});

describe("[B3.1] the state of a MiniMax task", () => {
  test.each([
    ["queued", "queued"],
    ["running", "running"],
    ["a word of tomorrow", "running"],
  ] as const)("%s is %s", (status, state) => {
    expect(look({ status })).toEqual({ state });
  });

  test("is done with its video, its properties, and its usage", () => {
    expect(look(DONE)).toEqual({
      state: "succeeded",
      videos: [{ url: "https://cdn.test/x.mp4?y", seconds: 5 }],
      facts: { seconds: 5, resolution: "2k", ratio: "16:9" },
      usage: {
        ...NO_USAGE,
        inputTokens: 13_500,
        outputTokens: 260_390,
        referenceImages: 1,
        durationMs: 5_000,
        grade: "2k",
      },
    });
  });

  test("counts its input videos", () => {
    const usage = { output_seconds: 6, input_seconds: 3.5 };

    expect(look({ ...DONE, usage })).toMatchObject({ usage: { durationMs: 9_500 } });
  });

  test.each([{}, null, { output_seconds: -1 }, { output_seconds: "x" }])(
    "is charged by its length without usage: %j",
    (usage) => {
      expect(look({ ...DONE, usage })).toMatchObject({ usage: { durationMs: 5_000 } });
    },
  );

  test("is done without a video if none is found", () => {
    expect(look({ status: "succeeded" })).toEqual({ state: "succeeded", videos: [], facts: {} });
  });

  test.each([
    [{ status: "failed", error: { code: "1026", message: "sensitive" } }, "content_filtered"],
    [{ status: "failed", error: { code: "1027", message: "sensitive" } }, "content_filtered"],
    [{ status: "failed", error: { code: 2_013, message: "no" } }, "2013"],
    [{ status: "failed", error: null }, "task_failed"],
    [{ status: "failed" }, "task_failed"],
    [{ status: "cancelled" }, "task_cancelled"],
    [{ status: "expired" }, "task_expired"],
  ])("is failed: %j", (body, code) => {
    expect(look(body)).toMatchObject({ state: "failed", failure: { code } });
  });
});

describe("[B3.1] the state of a task of MiniMax's older models", () => {
  test.each([
    ["Preparing", "queued"],
    ["Queueing", "queued"],
    ["Processing", "running"],
    ["A word of tomorrow", "running"],
  ] as const)("%s is %s", (status, state) => {
    expect(older({ status, base_resp: { status_code: 0 } })).toEqual({ state });
  });

  const done = { status: "Success", file_id: "9", video_width: 1_366, video_height: 768 };

  test("is done if its file is known", () => {
    const file = { file_id: 9, bytes: 1, download_url: "https://cdn.test/f.mp4" };

    expect(older({ ...done, file })).toEqual({
      state: "succeeded",
      videos: [{ url: "https://cdn.test/f.mp4", width: 1_366, height: 768 }],
    });
  });

  test("is polled again if its file is unknown", () => {
    expect(failureOf(() => older(done))).toStartWith("upstream_failed");
  });

  test.each([
    [{ status_code: 1_027, status_msg: "sensitive" }, "content_filtered"],
    [{ status_code: 2_013, status_msg: "no" }, "2013"],
    [{ status_code: 0, status_msg: "success" }, "task_failed"],
    [undefined, "task_failed"],
  ])("is failed: %j", (base, code) => {
    const body = { status: "Fail", ...(base && { base_resp: base }) };

    expect(older(body)).toMatchObject({ state: "failed", failure: { code } });
  });
});
