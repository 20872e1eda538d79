import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { viduVideo } from "./index.ts";

const { parseSubmitted, parseTask, parseError } = viduVideo.outbound;

function look(body: JsonObject) {
  return parseTask(body, task("viduq2"), 200);
}

const REASONS: readonly (readonly [FaultCode, string])[] = [
  [
    "upstream_rejected",
    "BadRequest FieldLacking FieldUnwanted FieldInvalid FieldItemCountOutOfRange " +
      "PageSizeOutOfRange ImageDownloadFailure ImageFormatInvalid ImageCheckBodyJointsFailed " +
      "ImageCheckFaceFailed ImageObjectsUndetected UserCancelled Conflict Canceled",
  ],
  ["content_filtered", "AuditSubmitIllegal TaskPromptPolicyViolation CreationPolicyViolation"],
  ["upstream_model_missing", "ModelUnavailable NotFound TaskNotFound CreationNotFound"],
  ["upstream_auth", "Unauthorized CreditInsufficient"],
  ["upstream_refused", "Forbidden"],
  ["upstream_rate_limited", "OperationInProcess QuotaExceeded TooManyRequests SystemThrottling"],
  ["upstream_overloaded", "InternalServiceFailure"],
];

describe("a Vidu response", () => {
  test("is an id", () => {
    const body = { task_id: "907150834534432768", state: "created", model: "viduq2", credits: 20 };

    expect(parseSubmitted(body)).toBe("907150834534432768");
  });

  test.each(REASONS)("means %s by these codes", (code, words) => {
    for (const reason of words.split(" ")) {
      const body = { code: 400, reason, message: "invalid field: duration", metadata: {} };

      expect([reason, parseError(400, JSON.stringify(body)).code]).toEqual([reason, code]);
      expect(failureOf(() => parseSubmitted(body))).toStartWith(code);
      expect(failureOf(() => look(body))).toStartWith(code);
    }
  });

  test("has the vendor's message, if it concerns the client", () => {
    const body = { code: 400, reason: "FieldInvalid", message: "invalid field: duration" };

    expect(parseError(400, JSON.stringify(body)).message).toBe("invalid field: duration");
    expect(parseError(400, '{"code":400,"reason":"FieldInvalid"}').message).toBe("FieldInvalid");
  });

  test("with an unknown code is read by its status", () => {
    const codeOf = (status: number) =>
      parseError(status, JSON.stringify({ code: status, reason: "Odd", message: "m" })).code;

    expect(codeOf(400)).toBe("upstream_rejected");
    expect(codeOf(429)).toBe("upstream_rate_limited");
    expect(codeOf(500)).toBe("upstream_failed");
    expect(parseError(502, "<html>").code).toBe("upstream_failed");
  });

  test.each([{}, { task_id: null }, { task_id: 907_150_834_534_432_800 }, { task_id: "" }])(
    "without an id leaves the result unknown: %j",
    (body) => {
      expect(failureOf(() => parseSubmitted(body as JsonObject))).toStartWith("upstream_failed");
    },
  );
});

describe("[B3.1] the state of a Vidu task", () => {
  test.each([
    ["created", "queued"],
    ["queueing", "queued"],
    ["scheduled", "queued"],
    ["processing", "running"],
    ["a word of tomorrow", "running"],
  ] as const)("%s is %s", (state, ours) => {
    expect(look({ id: "1", state, creations: [] })).toEqual({ state: ours });
  });

  test("has its progress, if it is plausible", () => {
    expect(look({ state: "processing", progress: 40 })).toEqual({ state: "running", progress: 40 });
    expect(look({ state: "processing", progress: 400 })).toEqual({ state: "running" });
    expect(look({ state: "processing", progress: "40" })).toEqual({ state: "running" });
  });

  test("is done with all its results", () => {
    const creation = {
      id: "9071",
      url: "https://cdn.test/v.mp4?x=1",
      cover_url: "https://cdn.test/v.jpg",
      watermarked_url: "https://cdn.test/w.mp4",
      moderation_url: [],
      video: { duration: 5, fps: 24, resolution: { width: 1_280, height: 720 } },
    };

    expect(look({ id: "1", state: "success", err_code: "", creations: [creation] })).toEqual({
      state: "succeeded",
      videos: [
        {
          url: "https://cdn.test/v.mp4?x=1",
          id: "9071",
          coverUrl: "https://cdn.test/v.jpg",
          watermarkedUrl: "https://cdn.test/w.mp4",
          seconds: 5,
          width: 1_280,
          height: 720,
        },
      ],
    });
    const bare = { id: "1", url: "https://cdn.test/v.mp4", cover_url: "" };
    expect(look({ state: "success", creations: [bare] })).toEqual({
      state: "succeeded",
      videos: [{ id: "1", url: "https://cdn.test/v.mp4" }],
    });
  });

  test("is done without a video if none is found", () => {
    for (const creations of [[], [{}], [{ url: "" }], [null], "x", null]) {
      expect(look({ state: "success", creations })).toEqual({ state: "succeeded", videos: [] });
    }
  });

  test.each([
    ["UserCancelled", "task_cancelled"],
    ["CreationPolicyViolation", "content_filtered"],
    ["AuditSubmitIllegal", "content_filtered"],
    ["CreditInsufficient", "CreditInsufficient"],
    ["SomethingNew", "SomethingNew"],
    ["", "task_failed"],
    ["not a word \n", "task_failed"],
  ])("is failed by the code %j", (word, code) => {
    expect(look({ state: "failed", err_code: word })).toMatchObject({
      state: "failed",
      failure: { code },
    });
  });

  test("is failed if it was cancelled", () => {
    expect(look({ state: "cancelled" })).toMatchObject({ failure: { code: "task_cancelled" } });
  });
});
