import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { aTask, linksTo, STATUSES } from "#test/a-task.ts";
import { refusalOf } from "#test/refusal.ts";
import { viduVideo } from "./index.ts";

const { inbound } = viduVideo;
const LINK = "https://pictures.example/1.png";
const pictures = (count: number) => Array<string>(count).fill(LINK);

function read(body: JsonObject, scenario = "text2video") {
  return inbound.read({ model: "m", prompt: "a fox", ...body }, { scenario });
}

describe("[B4.4] a request of protocol C", () => {
  test("has options in its own fields", () => {
    const asked = read({
      duration: 8,
      seed: 7,
      aspect_ratio: "9:16",
      resolution: "1080P",
      movement_amplitude: "large",
      bgm: false,
      audio: true,
      watermark: false,
      payload: "mine",
      callback_url: "https://caller.example/",
    });

    expect(asked).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      seconds: 8,
      seed: 7,
      ratio: "9:16",
      resolution: "1080p",
      movement: "large",
      music: false,
      audio: true,
      watermark: false,
      payload: "mine",
      callbackUrl: "https://caller.example/",
    });
  });

  test.each(["360P", "540p", "720P", "1080p"])("writes a resolution as %s", (resolution) => {
    expect(read({ resolution }).resolution).toBe(resolution.toLowerCase());
  });

  test.each<[string, number, string]>([
    ["text2video", 0, "text"],
    ["img2video", 1, "first_frame"],
    ["start-end2video", 2, "first_last"],
    ["reference2video", 1, "reference"],
    ["reference2video", 2, "reference"],
    ["reference2video", 7, "reference"],
  ])("at %s with %d images has the purpose of the path", (path, count, scenario) => {
    expect(read({ images: pictures(count) }, path).scenario).toBe(scenario as "text");
  });

  test.each<[string, number, string]>([
    ["text2video", 1, "first_frame"],
    ["img2video", 2, "first_last"],
    ["img2video", 3, "reference"],
    ["start-end2video", 1, "first_frame"],
  ])(
    "at %s with %d images, which the path does not support, has the purpose of the images",
    (path, count, as) => {
      expect(read({ images: pictures(count) }, path).scenario).toBe(as as "text");
    },
  );

  test.each<[string, number, string]>([
    ["text", 0, "text"],
    ["generate", 1, "first_frame"],
    ["first_tail", 2, "first_last"],
    ["reference", 1, "reference"],
  ])("has the purpose in 'metadata.action': %s", (action, count, scenario) => {
    const asked = read({ images: pictures(count), metadata: { action } }, "img2video");

    expect(asked.scenario).toBe(scenario as "text");
  });

  test("gives images their roles", () => {
    const rolesAt = (path: string) =>
      read({ images: ["aGk=", LINK] }, path).media.map(({ role, source }) => [role, source.kind]);

    expect(rolesAt("start-end2video")).toEqual([
      ["first_frame", "base64"],
      ["last_frame", "url"],
    ]);
    expect(rolesAt("reference2video")).toEqual([
      ["reference", "base64"],
      ["reference", "url"],
    ]);
  });

  test("sends other fields to the same vendor, and reports unsupported ones", () => {
    const asked = read({ off_peak: true, seed: 0, metadata: { action: "text", mood: "grim" } });

    expect(asked.extra).toEqual({ "video-vidu": { off_peak: true }, metadata: { mood: "grim" } });
    expect(asked.seed).toBeUndefined();
  });

  test.each<[string, JsonObject, string]>([
    ["img2video", {}, "images: 'images' must have 1 for 'generate', not 0."],
    [
      "reference2video",
      { images: [] },
      "images: 'images' must have 1 to 7 for 'reference', not 0.",
    ],
    ["reference2video", { images: pictures(8) }, "images: 'images' must have 1 to 7"],
    ["img2video", { metadata: { action: "first_tail" }, images: pictures(1) }, "images: "],
    ["img2video", { metadata: { action: "text" }, images: pictures(1) }, "images: "],
    ["text2video", { metadata: { action: "sing" } }, "metadata.action: 'metadata.action' must be"],
    ["text2video", { metadata: "text" }, "metadata: "],
    ["text2video", { model: "" }, "model: "],
    ["text2video", { resolution: "4K" }, "resolution: 'resolution' must be one of '360P'"],
    ["text2video", { duration: "5" }, "duration: "],
    ["text2video", { duration: 0 }, "duration: "],
    ["text2video", { movement_amplitude: "huge" }, "movement_amplitude: "],
    ["text2video", { bgm: "yes" }, "bgm: "],
    ["text2video", { payload: "x".repeat(2_049) }, "payload: "],
    ["img2video", { images: [LINK, { url: LINK }] }, "images[1]: "],
    ["img2video", { images: ["data:image/png,hi"] }, "images[0]: "],
  ])("at %s with %j is refused with an explanation", (path, body, refusal) => {
    expect(refusalOf(() => read(body, path))).toStartWith(refusal);
  });
});

describe("[B2.4] a response of protocol C", () => {
  test("to a submission has a video object's fields, and the vendor's beside them", () => {
    const facts = { scenario: "text", payload: "mine", seconds: 5, music: true } as const;

    expect(inbound.writeSubmitted(aTask({ facts }))).toEqual({
      id: "task_1",
      task_id: "task_1",
      object: "video",
      model: "a-model",
      status: "queued",
      created_at: 1_767_268_800,
      state: "created",
      duration: 5,
      bgm: true,
      payload: "mine",
    });
  });

  test("[B3.1] has every state in its own words", () => {
    const told = STATUSES.map((status) => inbound.writeTask(aTask({ status }), linksTo())["state"]);

    expect(told).toEqual(["created", "created", "queueing", "processing", "success", "failed"]);
  });

  test("has the video and its cover, and returns the payload", () => {
    const task = aTask({
      status: "succeeded",
      facts: { scenario: "text", payload: "mine" },
    });
    const video = { url: "https://v.example/1.mp4", coverUrl: "https://v.example/1.jpg" };

    expect(
      inbound.writeTask(task, linksTo({ ...video, id: "c1", seconds: 5, width: 4, height: 2 })),
    ).toMatchObject({
      id: "task_1",
      state: "success",
      err_code: "",
      payload: "mine",
      progress: 100,
      creations: [
        {
          id: "c1",
          url: video.url,
          cover_url: video.coverUrl,
          video: { duration: 5, resolution: { width: 4, height: 2 } },
        },
      ],
    });
  });

  test.each([
    ["task_cancelled", "UserCancelled"],
    ["content_filtered", "CreationPolicyViolation"],
    ["task_expired", "task_expired"],
  ])("has the reason for a missing video: %s", (code, word) => {
    const failure = { code, message: "Why not." };

    expect(inbound.writeTask(aTask({ status: "failed", failure }), linksTo())).toMatchObject({
      err_code: word,
      err_msg: "Why not.",
      creations: [],
    });
  });

  test("[B7] for an error has a reason, the field and the request's id", () => {
    const refusal = new GatewayError("invalid_request", "Why not.", { param: "images" });

    expect(inbound.withRequestId?.(inbound.buildError(refusal), "r-1")).toEqual({
      code: 400,
      reason: "FieldInvalid",
      message: "Why not.",
      metadata: { field: "images", trace_id: "r-1" },
    });
    expect(inbound.withRequestId?.({ state: "success" }, "r-1")).toEqual({ state: "success" });
  });

  test.each([
    ["invalid_request", 400, "BadRequest"],
    ["unauthenticated", 401, "Unauthorized"],
    ["out_of_quota", 402, "CreditInsufficient"],
    ["not_found", 404, "TaskNotFound"],
    ["model_not_found", 404, "ModelUnavailable"],
    ["rate_limited", 429, "TooManyRequests"],
    ["upstream_failed", 502, "InternalServiceFailure"],
  ] as const)("[B7] has a reason for %s", (fault, code, reason) => {
    expect(inbound.buildError(new GatewayError(fault, "Why not."))).toMatchObject({ code, reason });
  });
});
