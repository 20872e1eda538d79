import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { aTask, linksTo, STATUSES } from "#test/a-task.ts";
import { refusalOf } from "#test/refusal.ts";
import { minimaxVideo } from "./index.ts";

const { inbound } = minimaxVideo;
const LINK = "https://media.example/1";
const WORDS = { type: "text", text: "a fox" };

const medium = (type: string, role?: string): JsonObject => ({
  type: `${type}_url`,
  [`${type}_url`]: { url: LINK },
  ...(role === undefined ? {} : { role }),
});

function read(more: JsonObject) {
  const body = { model: "m", content: [WORDS], resolution: "768P", duration: 5 };
  return inbound.read({ ...body, ...more }, {});
}

const readContent = (...content: readonly Json[]) => read({ content: [WORDS, ...content] });

describe("[B4.5] a request of protocol D", () => {
  test("has options in its own fields", () => {
    const content = [WORDS, { type: "text", text: "and a crow" }];

    expect(read({ content, resolution: "2K", ratio: "21:9", aigc_watermark: false })).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox\nand a crow",
      media: [],
      seconds: 5,
      resolution: "2k",
      ratio: "21:9",
      watermark: false,
    });
  });

  test.each([4, 15])("may have %d seconds", (duration) => {
    expect(read({ duration }).seconds).toBe(duration);
  });

  test.each(["21:9", "16:9", "4:3", "1:1", "3:4", "9:16", "adaptive"])("may be %s", (ratio) => {
    expect(read({ ratio }).ratio).toBe(ratio);
  });

  test.each<[string, readonly Json[], string, readonly string[]]>([
    ["an image alone is the first frame", [medium("image")], "first_frame", ["first_frame"]],
    [
      "a first and a last frame",
      [medium("image", "last_frame"), medium("image", "first_frame")],
      "first_last",
      ["last_frame", "first_frame"],
    ],
    [
      "references",
      [medium("image", "reference_image"), medium("image", "reference_image")],
      "reference",
      ["reference", "reference"],
    ],
    [
      "references of all kinds",
      [
        medium("image", "reference_image"),
        medium("video", "reference_video"),
        medium("audio", "reference_audio"),
      ],
      "omni",
      ["reference", "reference", "reference"],
    ],
    ["a video without a role", [medium("video")], "omni", ["reference"]],
  ])("has media: %s", (_what, content, scenario, roles) => {
    const asked = readContent(...content);

    expect(asked.scenario).toBe(scenario as "text");
    expect(asked.media.map(({ role }) => role) as readonly string[]).toEqual(roles);
  });

  test.each<[string, Json]>([
    ["an address", "https://caller.example/"],
    ["nothing", ""],
    ["null", null],
    ["false", false],
  ])("with a callback_url of %s is refused before other checks", (_what, value) => {
    const body = JSON.parse(JSON.stringify({ callback_url: value })) as JsonObject;

    expect(refusalOf(() => inbound.read(body, {}))).toStartWith("callback_url: ");
  });

  test.each<[string, JsonObject, string]>([
    ["no model", { model: null }, "model: "],
    ["no content", { content: null }, "content: "],
    ["an empty content", { content: [] }, "content: "],
    ["no resolution", { resolution: null }, "resolution: 'resolution' is required."],
    ["a resolution in other letters", { resolution: "2k" }, "resolution: 'resolution' must be one"],
    ["another resolution", { resolution: "1080P" }, "resolution: "],
    ["no duration", { duration: null }, "duration: 'duration' is required."],
    ["too few seconds", { duration: 3 }, "duration: "],
    ["too many seconds", { duration: 16 }, "duration: "],
    ["half a second", { duration: 4.5 }, "duration: "],
    ["seconds in a text", { duration: "5" }, "duration: "],
    ["another ratio", { ratio: "2:1" }, "ratio: "],
    ["a watermark in a text", { aigc_watermark: "no" }, "aigc_watermark: "],
  ])("with %s is refused", (_what, body, refusal) => {
    expect(refusalOf(() => read(body))).toStartWith(refusal);
  });

  test.each<[string, readonly Json[], string]>([
    ["a text instead of an element", ["a fox"], "content[1]: "],
    ["an element of no type", [{}], "content[1].type: "],
    ["an element of another type", [{ type: "smell" }], "content[1].type: "],
    ["an empty text", [{ type: "text", text: "" }], "content[1].text: "],
    ["an image without a link", [{ type: "image_url" }], "content[1].image_url: "],
    [
      "a link that is no object",
      [{ type: "image_url", image_url: LINK }],
      "content[1].image_url: ",
    ],
    [
      "two things in one element",
      [{ ...medium("image"), video_url: { url: LINK } }],
      "content[1].video_url: ",
    ],
    ["a text with a role", [{ ...WORDS, role: "first_frame" }], "content[1].role: "],
    ["a video as a frame", [medium("video", "first_frame")], "content[1].role: "],
    ["an image as a video", [medium("image", "reference_video")], "content[1].role: "],
    [
      "a video that is no link",
      [{ type: "video_url", video_url: { url: "aGk=" } }],
      "content[1].video_url.url: ",
    ],
    ["two first frames", [medium("image"), medium("image")], "content: 'content' may have one"],
    ["a last frame alone", [medium("image", "last_frame")], "content: A last frame requires"],
    [
      "frames and references",
      [medium("image", "first_frame"), medium("image", "reference_image")],
      "content: Frames and references",
    ],
    ["a sound alone", [medium("audio")], "content: Audio requires"],
    [
      "ten pictures",
      Array<Json>(10).fill(medium("image", "reference_image")),
      "content: 'content' must have at most 9",
    ],
    ["four videos", Array<Json>(4).fill(medium("video")), "content: 'content' must have at most 3"],
  ])("with %s in it is refused", (_what, content, refusal) => {
    expect(refusalOf(() => readContent(...content))).toStartWith(refusal);
  });

  test("sends other fields to the same vendor", () => {
    expect(read({ style: "noir" }).extra).toEqual({ "video-minimax": { style: "noir" } });
  });
});

describe("[B2.5] a response of protocol D", () => {
  test("to a submission is the task's id and nothing else", () => {
    expect(inbound.writeSubmitted(aTask())).toEqual({ task_id: "task_1" });
  });

  test("[B3.1] has every state in its own words", () => {
    const told = STATUSES.map((status) => {
      const { task } = inbound.writeTask(aTask({ status }), linksTo());
      return (task as JsonObject)["status"];
    });

    expect(told).toEqual(["queued", "queued", "queued", "running", "succeeded", "failed"]);
  });

  test("has the video, and its actual properties", () => {
    const task = aTask({
      status: "succeeded",
      facts: { scenario: "text", resolution: "2k", seconds: 5, ratio: "16:9" },
      finishedAt: 1_767_268_921_456,
    });

    expect(inbound.writeTask(task, linksTo({ url: LINK }))).toMatchObject({
      task: {
        id: "task_1",
        model: "a-model",
        status: "succeeded",
        content: { url: LINK },
        created_at: 1_767_268_800,
        updated_at: 1_767_268_921,
        resolution: "2K",
        duration: 5,
        ratio: "16:9",
      },
    });
  });

  test.each([
    ["task_cancelled", "cancelled", "task_cancelled"],
    ["task_expired", "failed", "task_expired"],
    ["content_filtered", "failed", "1027"],
    ["2013", "failed", "2013"],
  ])("has the reason for a missing video: %s", (code, status, word) => {
    const failure = { code, message: "Why not." };

    expect(inbound.writeTask(aTask({ status: "failed", failure }), linksTo())).toMatchObject({
      task: { status, error: { code: word, message: "Why not." } },
    });
  });

  test.each([
    ["invalid_request", "invalid_request_error", "400"],
    ["unauthenticated", "authentication_error", "401"],
    ["rate_limited", "rate_limit_error", "429"],
    ["internal", "api_error", "500"],
  ] as const)("[B7] for an error has %s in the vendor's form", (fault, type, status) => {
    const answer = inbound.buildError(new GatewayError(fault, "Why not."));

    expect(inbound.withRequestId?.(answer, "r-1")).toEqual({
      type: "error",
      error: { type, message: "Why not.", http_code: status },
      request_id: "r-1",
    });
  });
});
