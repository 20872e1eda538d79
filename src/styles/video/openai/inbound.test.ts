import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { aTask, CREATED_AT, LINKS, STATUSES } from "#test/a-task.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, withShared } from "#test/shared.ts";
import { videoObjects } from "./inbound.ts";
import { readList } from "./read-query.ts";
import { writeDeleted, writeList } from "./write-video.ts";

const { inbound } = videoObjects;
const DONE = aTask({
  status: "succeeded",
  progress: 100,
  facts: {
    scenario: "remix",
    prompt: "a fox",
    seconds: 8,
    size: "1280*720",
    remixedFrom: "task_0",
  },
  finishedAt: CREATED_AT + 9_999,
  linksEndAt: CREATED_AT + 3_600_000,
});

test("[B4.7] a request is read like one at the unified endpoint, and its own fields are kept", () => {
  const { extra, ...question } = inbound.read(
    { model: "m", prompt: "a fox", seconds: "8", size: "1280x720", quality: "high" },
    {},
  );

  expect(question).toEqual({
    model: "m",
    scenario: "text",
    prompt: "a fox",
    media: [],
    seconds: 8,
    size: "1280x720",
  });
  expect(extra).toEqual({ "video-openai": { quality: "high" } });
});

describe("a video is written", () => {
  test("[B3.1] in the format's words, in every state", () => {
    const words = STATUSES.map((status) => inbound.writeTask(aTask({ status }), LINKS)["status"]);

    expect(words).toEqual(["queued", "queued", "queued", "in_progress", "completed", "failed"]);
  });

  test("[B2.7] with every member, for any known facts", () => {
    expect(inbound.writeSubmitted(aTask({ facts: { scenario: "text" } }))).toEqual({
      id: "task_1",
      task_id: "task_1",
      object: "video",
      model: "a-model",
      status: "queued",
      progress: 0,
      created_at: 1_767_268_800,
      completed_at: null,
      expires_at: null,
      prompt: null,
      size: "720x1280",
      seconds: "4",
      remixed_from_video_id: null,
      error: null,
    });
    expect(inbound.writeTask(DONE, LINKS)).toEqual({
      id: "task_1",
      task_id: "task_1",
      object: "video",
      model: "a-model",
      status: "completed",
      progress: 100,
      created_at: 1_767_268_800,
      completed_at: 1_767_268_809,
      expires_at: 1_767_272_400,
      prompt: "a fox",
      size: "1280x720",
      seconds: "8",
      remixed_from_video_id: "task_0",
      error: null,
      metadata: { url: "https://cdn.example/v.mp4" },
    });
  });

  test.each([
    [{ resolution: "1080p", ratio: "16:9" }, "1792x1024"],
    [{ size: "1920x1080" }, "1792x1024"],
    [{ size: "1080*1920" }, "1024x1792"],
    [{ size: "854x480" }, "1280x720"],
    [{ size: "1024x1792" }, "1024x1792"],
    [{ size: "strange" }, "720x1280"],
    [{ resolution: "720p", ratio: "adaptive" }, "720x1280"],
    [{ resolution: "huge", ratio: "16:9" }, "720x1280"],
    [{ ratio: "1:1" }, "720x1280"],
  ])("with the nearest size that its clients know: %j is %s", (facts, size) => {
    expect(inbound.writeTask(aTask({ facts: { scenario: "text", ...facts } }), LINKS)["size"]).toBe(
      size,
    );
  });

  test("with its reason if it failed", () => {
    const failed = (code: string) =>
      inbound.writeTask(aTask({ status: "failed", failure: { code, message: "No." } }), LINKS);

    expect(failed("server_error")["error"]).toEqual({ code: "server_error", message: "No." });
    expect(failed("content_filtered")["error"]).toEqual({
      code: "moderation_blocked",
      message: "No.",
    });
  });

  test("as unfinished before its end, even if its vendor reports full progress", () => {
    expect(inbound.writeTask(aTask({ status: "running", progress: 100 }), LINKS)["progress"]).toBe(
      99,
    );
  });
});

describe("a list is requested", () => {
  const listed = (query: string) => readList(new URLSearchParams(query));

  test("by cursor, limit and order", () => {
    expect(listed("")).toEqual({ limit: 20, order: "desc" });
    expect(listed("after=task_1&limit=0&order=asc")).toEqual({
      limit: 0,
      order: "asc",
      after: "task_1",
    });
  });

  test.each(["limit=101", "limit=-1", "limit=x", "order=up"])("%s is refused", (query) => {
    expect(() => listed(query)).toThrow(GatewayError);
  });
});

withShared("schemas", () => {
  const resolve = openApiSchemas("schemas/openai.openapi.yaml");
  const faultIn = (name: string, value: JsonObject) =>
    disagreement(value, { $ref: `#/components/schemas/${name}` }, resolve);

  test("[B2.7] written objects conform to the format's description", () => {
    const objects = STATUSES.map((status) =>
      inbound.writeTask(
        aTask({ status, ...(status === "failed" && { failure: { code: "x", message: "y" } }) }),
        LINKS,
      ),
    );

    for (const each of [...objects, inbound.writeTask(DONE, LINKS)]) {
      expect(faultIn("VideoResource", each)).toBeUndefined();
    }
    expect(faultIn("VideoListResource", writeList(objects, true))).toBeUndefined();
    expect(faultIn("VideoListResource", writeList([], false))).toBeUndefined();
    expect(faultIn("DeletedVideoResource", writeDeleted("task_1"))).toBeUndefined();
  });
});
