import { describe, expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { aTask, linksTo, STATUSES } from "#test/a-task.ts";
import { refusalOf } from "#test/refusal.ts";
import { kling3Video } from "./index.ts";

const { inbound, outbound } = kling3Video;
const LINK = "https://media.example/1.png";
const VIDEO = "https://media.example/1.mp4";
const WORDS = { type: "prompt", text: "a fox" };
const shown = (type: string, url = LINK): JsonObject => ({ type, url });

function read(body: JsonObject, scenario = "text-to-video") {
  return inbound.read(body, { scenario, model: "m" });
}

const readOmni = (...contents: readonly Json[]) =>
  read({ contents: [WORDS, ...contents] }, "omni-video");

describe("[B4.6-b] a request of protocol E's newer style", () => {
  test("has options in its own fields", () => {
    const asked = read({
      prompt: "a fox",
      settings: { resolution: "1080p", aspect_ratio: "9:16", duration: 7, audio: "native" },
      options: {
        callback_url: "https://caller.example/",
        external_task_id: "order-7",
        watermark_info: { enabled: true },
      },
    });

    expect(asked).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      resolution: "1080p",
      ratio: "9:16",
      seconds: 7,
      audio: true,
      watermark: true,
      callbackUrl: "https://caller.example/",
      externalId: "order-7",
    });
  });

  test("passes on vendor-specific fields unchanged", () => {
    const element = { type: "element", element_id: 7 };
    const cropped = { ...shown("refer_image"), crop: "left" };
    const body: JsonObject = {
      contents: [WORDS, shown("first_frame"), element, cropped],
      settings: { multi_shot: true, audio: "original", mood: { grim: 1 } },
      options: { priority: "low" },
      tomorrow: [1],
    };
    const asked = read(body, "omni-video");
    const extra = { settings: { multi_shot: true, audio: "original", mood: { grim: 1 } } };

    expect(asked.extra).toEqual({
      "video-kling3": {
        ...extra,
        options: { priority: "low" },
        tomorrow: [1],
        contents: [element, cropped],
      },
    });
    const context = { report: new LossReport(), model: {}, externalId: "task_1" };
    expect(outbound.build(asked, { ...context, dialect: { isOmni: true } })).toMatchObject({
      contents: [WORDS, shown("first_frame"), element, cropped],
      ...extra,
      options: { priority: "low", external_task_id: "task_1" },
      tomorrow: [1],
    });
  });

  test("is refused by upstreams of other formats if it has media stored at the vendor", () => {
    const { extra } = readOmni({ type: "element", element_id: 7 });
    const report = new LossReport();

    expect(refusalOf(() => report.loseForeign(extra, "video-other"))).toStartWith("contents: ");
  });

  test("may repeat the model in its body, and name no other one", () => {
    expect(read({ prompt: "a fox", model: "m" }).model).toBe("m");
    expect(read({ prompt: "a fox", model: "m" }).extra).toBeUndefined();
    expect(refusalOf(() => read({ prompt: "a fox", model: "other" }))).toStartWith("model: ");
  });

  test("does not send the client's webhook address and id to the vendor", () => {
    const misplaced = { callback_url: "https://caller.example/", external_task_id: "order-7" };

    expect(read({ prompt: "a fox", ...misplaced })).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      callbackUrl: misplaced.callback_url,
      externalId: misplaced.external_task_id,
    });
  });

  test.each<[string, readonly Json[], string]>([
    ["image-to-video", [shown("first_frame")], "first_frame"],
    ["image-to-video", [shown("first_frame"), shown("last_frame")], "first_last"],
    ["image-to-video", [shown("refer_image")], "reference"],
    ["omni-video", [shown("first_frame")], "first_frame"],
    ["omni-video", [shown("first_frame"), shown("refer_image")], "omni"],
    ["omni-video", [shown("feature_video", VIDEO)], "omni"],
    ["omni-video", [], "text"],
  ])("at %s with %j has its media", (path, contents, scenario) => {
    expect(read({ contents: [WORDS, ...contents] }, path).scenario).toBe(scenario as "text");
  });

  test("has the names of media that the prompt uses", () => {
    const contents = [
      { ...shown("refer_image"), id: "fox" },
      shown("base_video", VIDEO),
      { type: "voice", voice_id: "v-1", id: "her" },
    ];

    expect(readOmni(...contents).media).toEqual([
      { type: "image", role: "reference", source: { kind: "url", url: LINK }, tag: "fox" },
      { type: "video", role: "base", source: { kind: "url", url: VIDEO } },
      { type: "audio", role: "voice", source: { kind: "reference", id: "v-1" }, tag: "her" },
    ]);
  });

  test("[B4.6-c] may have one video, four media beside it, or seven without one", () => {
    const seven = Array<Json>(7).fill(shown("refer_image"));
    const video = shown("feature_video", VIDEO);
    const element = { type: "element", element_id: 1 };

    expect(readOmni(...seven).media).toHaveLength(7);
    expect(readOmni(video, ...seven.slice(0, 4)).media).toHaveLength(5);
    expect(refusalOf(() => readOmni(...seven, element))).toStartWith("image: At most 7");
    expect(refusalOf(() => readOmni(...seven, shown("first_frame")))).toStartWith("image: ");
    expect(refusalOf(() => readOmni(video, ...seven.slice(0, 5)))).toStartWith("image: At most 4");
    expect(refusalOf(() => readOmni(video, shown("base_video", VIDEO)))).toStartWith(
      "video: At most one",
    );
  });

  test.each<[string, JsonObject, string]>([
    ["text-to-video", {}, "prompt: 'prompt' is required."],
    ["text-to-video", { prompt: " " }, "prompt: 'prompt' is required."],
    ["text-to-video", { prompt: ["a fox"] }, "prompt: "],
    [
      "text-to-video",
      { prompt: "a fox", contents: [shown("first_frame")] },
      "contents: 'contents' must have",
    ],
    ["image-to-video", { prompt: "a fox" }, "contents: "],
    ["image-to-video", { contents: [] }, "contents: "],
    ["image-to-video", { contents: "a fox" }, "contents: "],
    ["image-to-video", { contents: ["a fox"] }, "contents[0]: "],
    ["image-to-video", { contents: [{ text: "a fox" }] }, "contents[0].type: "],
    ["image-to-video", { contents: [{ type: "first_frame" }] }, "contents[0].url: "],
    ["omni-video", { contents: [{ type: "voice" }] }, "contents[0].voice_id: "],
    ["omni-video", { contents: [shown("feature_video", "aGk=")] }, "contents[0].url: "],
    ["text-to-video", { prompt: "a", settings: [] }, "settings: "],
    ["text-to-video", { prompt: "a", settings: { resolution: "8k" } }, "settings.resolution: "],
    ["text-to-video", { prompt: "a", settings: { duration: "5" } }, "settings.duration: "],
    ["text-to-video", { prompt: "a", settings: { audio: true } }, "settings.audio: "],
    ["text-to-video", { prompt: "a", options: { callback_url: 5 } }, "options.callback_url: "],
    ["text-to-video", { prompt: "a", duration: 10 }, "duration: 'duration' belongs"],
    ["text-to-video", { prompt: "a", resolution: "4k" }, "resolution: 'resolution' belongs"],
  ])("at %s with %j is refused with an explanation", (path, body, refusal) => {
    expect(refusalOf(() => read(body, path))).toStartWith(refusal);
  });

  test("requests the stated number of videos, so that the vendor makes no unpaid ones", () => {
    expect(read({ prompt: "a fox", n: 4 }).count).toBe(4);
    expect(read({ prompt: "a fox", settings: { n: 4 } }).count).toBe(4);
  });
});

describe("[B2.6] a response of protocol E's newer style", () => {
  const task = aTask({ facts: { scenario: "text", externalId: "order-7" } });
  const HEAD = {
    id: "task_1",
    create_time: 1_767_268_800_000,
    update_time: 1_767_268_800_000,
    external_id: "order-7",
  };

  test("to a submission is the task in an envelope, with the request's id", () => {
    expect(inbound.withRequestId?.(inbound.writeSubmitted(task), "r-1")).toEqual({
      code: 0,
      message: "SUCCEED",
      request_id: "r-1",
      data: { ...HEAD, status: "submitted" },
    });
  });

  test("[B3.1] has every state in its own words, in a list of one", () => {
    const told = STATUSES.map((status) => {
      const { data } = inbound.writeTask(aTask({ status }), linksTo());
      return (data as readonly JsonObject[]).map((each) => each["status"]);
    });

    expect(told.flat()).toEqual([
      "submitted",
      "submitted",
      "submitted",
      "processing",
      "succeeded",
      "failed",
    ]);
  });

  test("has the video, with times in milliseconds; a webhook is the object alone", () => {
    const done = { ...task, status: "succeeded", finishedAt: 1_767_268_921_456 } as const;
    const links = linksTo({ url: VIDEO, id: "v-1", seconds: 5.041 });
    const item = {
      ...HEAD,
      update_time: 1_767_268_921_456,
      status: "succeeded",
      message: "",
      outputs: [{ type: "video", id: "v-1", url: VIDEO, watermark_url: "", duration: "5.041" }],
    };

    expect(inbound.writeTask(done, links)["data"]).toEqual([item]);
    expect(inbound.writeNotice?.(done, links)).toEqual(item);
  });

  test("has the reason for a missing video", () => {
    const failure = { code: "content_filtered", message: "Why not." };

    expect(
      inbound.writeTask({ ...task, status: "failed", failure }, linksTo())["data"],
    ).toMatchObject([{ status: "failed", message: "Why not.", error: failure, outputs: [] }]);
  });
});
