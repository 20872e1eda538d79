import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { aTask, linksTo, STATUSES } from "#test/a-task.ts";
import { refusalOf } from "#test/refusal.ts";
import { klingVideo } from "./index.ts";

const { inbound, outbound } = klingVideo;
const LINK = "https://media.example/1.png";
const VIDEO = "https://media.example/1.mp4";

function read(body: JsonObject, scenario = "text2video") {
  return inbound.read({ model_name: "m", prompt: "a fox", ...body }, { scenario });
}

const images = (count: number, more: JsonObject = {}): readonly Json[] =>
  Array<Json>(count).fill({ image_url: LINK, ...more });
const videos = (count: number): readonly Json[] => Array<Json>(count).fill({ video_url: VIDEO });

describe("[B4.6-a] a request of protocol E's first style", () => {
  const WISHES: JsonObject = {
    negative_prompt: "rain",
    cfg_scale: 0.5,
    mode: "pro",
    camera_control: { type: "simple", config: { zoom: 5 } },
    aspect_ratio: "9:16",
    duration: "10",
    sound: "off",
    watermark_info: { enabled: false },
    callback_url: "https://caller.example/",
    external_task_id: "order-7",
  };
  const MEANT = {
    negativePrompt: "rain",
    guidance: 0.5,
    mode: "pro",
    camera: { type: "simple", config: { zoom: 5 } },
    ratio: "9:16",
    seconds: 10,
    audio: false,
    watermark: false,
    callbackUrl: "https://caller.example/",
    externalId: "order-7",
  };

  test("has options in its own fields", () => {
    expect(read(WISHES)).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      ...MEANT,
    });
  });

  test("may have them in 'metadata', where fields beside it take precedence", () => {
    expect(read({ metadata: WISHES })).toEqual(read(WISHES));
    expect(read({ duration: 5, metadata: { duration: "10", sound: "on" } })).toMatchObject({
      seconds: 5,
      audio: true,
    });
  });

  test("passes on vendor-specific fields, in any position", () => {
    const asked = read({ multi_shot: true, metadata: { shot_type: "customize" } });

    expect(asked.extra).toEqual({ "video-kling": { multi_shot: true, shot_type: "customize" } });
  });

  test("omits empty values", () => {
    const nothing = { image: "", image_tail: null, image_list: [], negative_prompt: "" };

    expect(read({ ...nothing, duration: "", callback_url: "", external_task_id: "" })).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
    });
  });

  test.each<[JsonObject, string]>([
    [{ model: "m" }, "m"],
    [{ model_name: null, model: "m" }, "m"],
    [{ model_name: null, metadata: { model: "m" } }, "m"],
    [{ model_name: null }, ""],
  ])("has its model: %j", (body, model) => {
    expect(read(body).model).toBe(model);
  });

  test.each<JsonObject>([
    { model: "other" },
    { metadata: { model: "other" } },
    { metadata: { model_name: "other" } },
  ])("has no second model: %j", (body) => {
    expect(refusalOf(() => read(body))).toStartWith("model: ");
  });

  test("has a first and a last frame, as links or in base64", () => {
    expect(read({ image: LINK }, "image2video")).toMatchObject({
      scenario: "first_frame",
      media: [{ role: "first_frame", source: { kind: "url", url: LINK } }],
    });
    expect(read({ image: "aGk=", image_tail: LINK }, "image2video")).toMatchObject({
      scenario: "first_last",
      media: [{ role: "first_frame", source: { base64: "aGk=" } }, { role: "last_frame" }],
    });
  });

  test("has several reference images", () => {
    const asked = read({ image_list: [{ image: LINK }, { image: "aGk=" }] }, "multi-image2video");

    expect(asked.scenario).toBe("reference");
    expect(asked.media.map(({ role }) => role)).toEqual(["reference", "reference"]);
  });

  test("has images, frames and a video together, which the prompt names by number", () => {
    const asked = read(
      {
        prompt: "<<<image_1>>> meets <<<image_2>>> in <<<video_1>>>, not <<<image_3>>>",
        image_list: [...images(1), ...images(1, { type: "first_frame" })],
        video_list: [{ video_url: VIDEO, refer_type: "base" }],
      },
      "omni-video",
    );

    expect(asked).toMatchObject({
      scenario: "omni",
      prompt: "@image_1 meets @image_2 in @video_1, not <<<image_3>>>",
      media: [
        { type: "image", role: "reference", tag: "image_1" },
        { type: "image", role: "first_frame", tag: "image_2" },
        { type: "video", role: "base", tag: "video_1" },
      ],
    });
  });

  test("keeps the numbering if the vendor gets the images in another order", () => {
    const asked = read(
      {
        prompt: "<<<image_1>>> meets <<<image_2>>>",
        image_list: [{ image_url: LINK }, { image_url: "aGk=", type: "first_frame" }],
      },
      "omni-video",
    );
    const context = { report: new LossReport(), model: {}, externalId: "task_1" };

    expect(outbound.build(asked, { ...context, dialect: { isOmni: true } })).toMatchObject({
      prompt: "<<<image_2>>> meets <<<image_1>>>",
      image_list: [{ image_url: "aGk=", type: "first_frame" }, { image_url: LINK }],
    });
  });

  test("has an option to keep a video's sound", () => {
    const asked = read(
      { video_list: [{ video_url: VIDEO, keep_original_sound: "no" }] },
      "omni-video",
    );
    const context = { report: new LossReport(), model: {}, externalId: "task_1" };

    expect(outbound.build(asked, { ...context, dialect: { isOmni: true } })).toMatchObject({
      video_list: [{ video_url: VIDEO, refer_type: "feature", keep_original_sound: "no" }],
    });
  });

  test.each<[string, JsonObject, string]>([
    ["omni-video", { video_list: videos(2) }, "video: At most one"],
    ["omni-video", { image_list: images(8) }, "image: At most 7"],
    ["omni-video", { image_list: images(5), video_list: videos(1) }, "image: At most 4"],
    ["omni-video", { image_list: images(6), element_list: [{}, {}] }, "image: At most 7"],
    ["omni-video", { image_list: [{}] }, "image_list[0].image_url: "],
    ["omni-video", { image_list: images(1, { type: "middle" }) }, "image_list[0].type: "],
    ["omni-video", { video_list: [{ video_url: "aGk=" }] }, "video_list[0].video_url: "],
    ["multi-image2video", {}, "image_list: "],
    ["multi-image2video", { image_list: Array<Json>(5).fill({ image: LINK }) }, "image_list: "],
    ["image2video", {}, "image: 'image' or 'image_tail'"],
    ["image2video", { image: "data:image/png,hi" }, "image: "],
    ["text2video", { image: LINK }, "image: 'image' must be omitted"],
    ["text2video", { metadata: { image_list: images(1) } }, "image_list: "],
    ["text2video", { duration: "long" }, "duration: "],
    ["text2video", { duration: "5.5" }, "duration: "],
    ["text2video", { duration: 0 }, "duration: "],
    ["text2video", { duration: [5] }, "duration: "],
    ["text2video", { mode: "best" }, "mode: "],
    ["text2video", { sound: true }, "sound: "],
    ["text2video", { cfg_scale: 2 }, "cfg_scale: "],
    ["text2video", { camera_control: "zoom" }, "camera_control: "],
    ["text2video", { metadata: [] }, "metadata: "],
    ["text2video", { metadata: { mode: "best" } }, "metadata.mode: "],
    ["text2video", { external_task_id: "x".repeat(257) }, "external_task_id: "],
  ])("at %s with %j is refused with an explanation", (path, body, refusal) => {
    expect(refusalOf(() => read(body, path))).toStartWith(refusal);
  });

  test("[B4.6-c] may have seven images, or four beside a video", () => {
    expect(read({ image_list: images(7) }, "omni-video").media).toHaveLength(7);
    expect(read({ image_list: images(4), video_list: videos(1) }, "omni-video").media).toHaveLength(
      5,
    );
  });
});

describe("[B2.6] a response of protocol E's first style", () => {
  const task = aTask({ facts: { scenario: "text", externalId: "order-7" } });
  const HEAD = {
    task_id: "task_1",
    task_info: { external_task_id: "order-7" },
    created_at: 1_767_268_800_000,
    updated_at: 1_767_268_800_000,
  };

  test("to a submission is the vendor's envelope, with a video object beside it", () => {
    expect(inbound.withRequestId?.(inbound.writeSubmitted(task), "r-1")).toEqual({
      code: 0,
      message: "SUCCEED",
      request_id: "r-1",
      data: { ...HEAD, task_status: "submitted" },
      id: "task_1",
      task_id: "task_1",
      object: "video",
      model: "a-model",
      status: "queued",
      created_at: 1_767_268_800,
    });
  });

  test("[B3.1] has every state in the vendor's words, and beside it in plain ones", () => {
    const told = STATUSES.map((status) => {
      const answer = inbound.writeTask(aTask({ status }), linksTo());
      return [(answer["data"] as JsonObject)["task_status"], answer["status"]];
    });

    expect(told).toEqual([
      ["submitted", "queued"],
      ["submitted", "queued"],
      ["submitted", "queued"],
      ["processing", "processing"],
      ["succeed", "succeeded"],
      ["failed", "failed"],
    ]);
  });

  test("has the video, with its length as text; a webhook is the object alone", () => {
    const done = { ...task, status: "succeeded", finishedAt: 1_767_268_921_456 } as const;
    const links = linksTo({ url: VIDEO, id: "v-1", seconds: 5.1 });
    const data = {
      ...HEAD,
      updated_at: 1_767_268_921_456,
      task_status: "succeed",
      task_status_msg: "",
      watermark_info: { enabled: false },
      task_result: { videos: [{ id: "v-1", url: VIDEO, watermark_url: "", duration: "5.1" }] },
    };

    expect(inbound.writeTask(done, links)).toMatchObject({ code: 0, data, url: VIDEO });
    expect(inbound.writeNotice?.(done, links)).toEqual(data);
  });

  test("has the reason for a missing video", () => {
    const failure = { code: "task_failed", message: "Why not." };

    expect(inbound.writeTask({ ...task, status: "failed", failure }, linksTo())).toMatchObject({
      code: 0,
      data: { task_status: "failed", task_status_msg: "Why not." },
      error: failure,
    });
  });

  test.each([
    ["invalid_request", 1201],
    ["content_filtered", 1301],
    ["unauthenticated", 1002],
    ["out_of_quota", 1102],
    ["forbidden", 1103],
    ["not_found", 1203],
    ["rate_limited", 1302],
    ["upstream_failed", 5000],
    ["upstream_timeout", 5002],
    ["unavailable", 5001],
  ] as const)("[B7] has the vendor's code for %s", (fault, code) => {
    expect(inbound.buildError(new GatewayError(fault, "Why not."))).toEqual({
      code,
      message: "Why not.",
    });
  });
});
