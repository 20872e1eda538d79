import { describe, expect, test } from "bun:test";
import type { FaultCode } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, withShared } from "#test/shared.ts";
import { failureOf, task } from "#test/video-request.ts";
import { openaiVideos } from "./index.ts";

const { parseSubmitted, parseTask, parseError } = openaiVideos.outbound;
const look = (body: JsonObject) => parseTask(body, task("sora-2"), 200);

const OBJECT: JsonObject = {
  id: "video_68d7512d07848190b3e45da0ecbebcde",
  object: "video",
  model: "sora-2",
  status: "queued",
  progress: 0,
  created_at: 1_767_268_800,
  completed_at: null,
  expires_at: null,
  prompt: "a lake",
  size: "1280x720",
  seconds: "8",
  remixed_from_video_id: null,
  error: null,
};
const DONE: JsonObject = {
  ...OBJECT,
  status: "completed",
  progress: 100,
  completed_at: 1_767_268_900,
  expires_at: 1_767_272_500,
};

describe("a video", () => {
  test("that was accepted has an id", () => {
    expect(parseSubmitted(OBJECT)).toBe("video_68d7512d07848190b3e45da0ecbebcde");
    expect(failureOf(() => parseSubmitted({ object: "video" }))).toStartWith("upstream_failed");
  });

  test.each([
    ["queued", "queued"],
    ["pending", "queued"],
    ["in_progress", "running"],
    ["processing", "running"],
    ["unknown", "running"],
  ])("that is '%s' is %s, with its progress", (status, state) => {
    expect(look({ ...OBJECT, status, progress: 40.7 })).toEqual({
      state,
      progress: 40,
    } as ReturnType<typeof look>);
  });

  test.each([-1, 101, "50", null, Number.NaN])("is not %p of 100 done", (progress) => {
    expect(look({ ...OBJECT, progress })).toEqual({ state: "queued" });
  });

  test("that is done has no link, but an id, a length and an expiry", () => {
    expect(look(DONE)).toEqual({
      state: "succeeded",
      videos: [
        {
          url: "",
          id: "video_68d7512d07848190b3e45da0ecbebcde",
          seconds: 8,
          width: 1_280,
          height: 720,
        },
      ],
      facts: { seconds: 8, size: "1280x720" },
      linksEndAt: 1_767_272_500_000,
      usage: expect.objectContaining({ durationMs: 8_000, grade: "720p", isEstimated: false }),
    });
  });

  test.each(["completed", "succeeded", "success", "SUCCESS"])(
    "that is '%s' on another server may have a link",
    (status) => {
      const metadata = { url: "https://cdn.example/v.mp4" };

      expect(look({ id: "1", status, metadata })).toMatchObject({
        videos: [{ url: "https://cdn.example/v.mp4", id: "1" }],
      });
      expect(look({ id: "1", status, url: "data:video/mp4;base64,AA==" })).toMatchObject({
        videos: [{ url: "" }],
      });
    },
  );

  test("of unknown length is charged by the expected length", () => {
    for (const odd of [{ seconds: "long" }, { seconds: null }, { size: "large" }]) {
      expect(look({ ...DONE, ...odd })).not.toHaveProperty("usage");
    }
  });

  test("that failed has a reason", () => {
    const failed = (error: JsonObject[string]) => look({ ...OBJECT, status: "failed", error });

    expect(failed({ code: "moderation_blocked", message: "It was blocked." })).toEqual({
      state: "failed",
      failure: { code: "content_filtered", message: "It was blocked." },
    });
    expect(failed({ code: "server_error", message: "Sorry." })).toMatchObject({
      failure: { code: "server_error", message: "Sorry." },
    });
    expect(failed("Out of memory")).toMatchObject({ failure: { message: "Out of memory" } });
    expect(failed(null)).toMatchObject({ failure: { code: "task_failed" } });
  });

  test("that was cancelled has failed", () => {
    expect(look({ ...OBJECT, status: "cancelled" })).toMatchObject({
      failure: { code: "task_cancelled" },
    });
    expect(look({ ...OBJECT, status: "expired" })).toMatchObject({
      failure: { code: "task_expired" },
    });
  });
});

test.each<[number, string, string, FaultCode]>([
  [400, "invalid_request_error", "invalid_value", "upstream_rejected"],
  [400, "invalid_request_error", "moderation_blocked", "content_filtered"],
  [401, "invalid_request_error", "invalid_api_key", "upstream_auth"],
  [403, "invalid_request_error", "", "upstream_forbidden"],
  [404, "invalid_request_error", "model_not_found", "upstream_model_missing"],
  [429, "requests", "rate_limit_exceeded", "upstream_rate_limited"],
  [429, "insufficient_quota", "insufficient_quota", "upstream_auth"],
  [500, "server_error", "", "upstream_failed"],
  [503, "server_error", "", "upstream_overloaded"],
])("a refusal of %d, %s, %s is %s", (status, type, code, expected) => {
  const body = { error: { message: "Why not.", type, param: "seconds", code } };

  expect(parseError(status, JSON.stringify(body)).code).toBe(expected);
  expect(failureOf(() => parseSubmitted(body))).toBeDefined();
  expect(failureOf(() => look(body))).toBeDefined();
});

withShared("schemas", () => {
  test("the responses conform to the vendor's description", () => {
    const schemas = openApiSchemas("schemas/openai.openapi.yaml");
    const schema = { $ref: "#/components/schemas/VideoResource" };

    for (const each of [OBJECT, DONE]) expect(disagreement(each, schema, schemas)).toBeUndefined();
  });
});
