import { describe, expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { aTask, CREATED_AT, LINKS, STATUSES } from "#test/a-task.ts";
import { contentTasks } from "./inbound.ts";
import { readFlags } from "./inline-flags.ts";
import { readList } from "./read-list.ts";

const { inbound } = contentTasks;
const WORDS = { type: "text", text: "a fox" };
const LINK = "https://pictures.example/a.png";

const image = (role?: Json, url: Json = LINK): JsonObject => ({
  type: "image_url",
  image_url: { url },
  ...(role === undefined ? {} : { role }),
});

function read(content: readonly Json[], more: JsonObject = {}) {
  return inbound.read({ model: "m", content, ...more }, {});
}

function refusal(body: JsonObject): string {
  try {
    inbound.read(body, {});
  } catch (cause) {
    const built = inbound.buildError(GatewayError.from(cause));
    return (built as { error: { message: string } }).error.message;
  }
  return "";
}

describe("[B4.2-a] a task is read", () => {
  test("with every listed field", () => {
    expect(
      read([WORDS], {
        resolution: "720P",
        ratio: "16:9",
        duration: 5,
        generate_audio: false,
        callback_url: "https://caller.example/done",
        return_last_frame: true,
        seed: 7,
        watermark: false,
        camera_fixed: true,
        frames: 57,
      }),
    ).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      resolution: "720p",
      ratio: "16:9",
      seconds: 5,
      audio: false,
      callbackUrl: "https://caller.example/done",
      lastFrame: true,
      seed: 7,
      watermark: false,
      cameraFixed: true,
      frames: 57,
    });
  });

  test("and the vendor's own fields are kept, except those that are null", () => {
    const { extra, user } = read([WORDS], {
      service_tier: "flex",
      draft: null,
      safety_identifier: "someone",
    });

    expect(extra).toEqual({ "video-ark": { service_tier: "flex" } });
    expect(user).toBe("someone");
  });

  test("with all its texts, in order", () => {
    expect(read([WORDS, { type: "text", text: " " }, { type: "text", text: "runs" }]).prompt).toBe(
      "a fox\nruns",
    );
  });
});

describe("[B4.2-b] media have roles", () => {
  test.each([
    ["first_frame", "first_frame"],
    ["first_image", "first_frame"],
    ["last_frame", "last_frame"],
    ["last_image", "last_frame"],
    ["reference_image", "reference"],
  ] as const)("%s", (given, role) => {
    const others = role === "last_frame" ? [image("first_frame")] : [];
    const { media } = read([WORDS, ...others, image(given)]);

    expect(media.at(-1)).toEqual({ type: "image", role, source: { kind: "url", url: LINK } });
  });

  test("a single image without a role is the first frame", () => {
    const one = read([WORDS, image()]);
    const two = read([WORDS, image(), image("last_image")]);

    expect([one.scenario, one.media[0]?.role]).toEqual(["first_frame", "first_frame"]);
    expect([two.scenario, two.media[0]?.role]).toEqual(["first_last", "first_frame"]);
  });

  test("videos and audio are references, and assets are recognised", () => {
    const { scenario, media } = read([
      WORDS,
      { type: "video_url", video_url: { url: "asset://asset-1" }, role: "reference_video" },
      { type: "audio_url", audio_url: { url: "data:audio/mpeg;base64,AAAA" } },
    ]);

    expect(scenario).toBe("omni");
    expect(media).toEqual([
      { type: "video", role: "reference", source: { kind: "asset", id: "asset-1" } },
      {
        type: "audio",
        role: "reference",
        source: { kind: "base64", base64: "AAAA", mediaType: "audio/mpeg" },
      },
    ]);
  });

  test.each([
    [
      [image("last_image"), image("reference_image")],
      "last frame image content cannot be mixed with reference image",
    ],
    [
      [image("first_image"), image("first_frame")],
      "only one image may be the first frame: others are of the role reference_image",
    ],
    [[image("last_image"), image("last_frame")], "only one image may be the last frame"],
    [[image(), image()], "role is required for each image where there are several"],
    [
      [image("reference_image"), image()],
      "role is required for each image where there are several",
    ],
    [
      [image("middle")],
      "content[1].role must be one of reference_image, first_frame, first_image, last_frame, last_image",
    ],
    [
      [{ type: "audio_url", audio_url: { url: LINK }, role: "first_frame" }],
      "content[1].role must be reference_audio",
    ],
  ])("%j is refused", (media, message) => {
    expect(refusal({ model: "m", content: [WORDS, ...media] })).toBe(message);
  });
});

describe("[B4.2-c] an invalid task is refused with the protocol's error", () => {
  test.each<[JsonObject, string]>([
    [{ content: [WORDS] }, "model is required"],
    [{ model: "", content: [WORDS] }, "model is required"],
    [{ model: null, content: [WORDS] }, "model is required"],
    [{ model: "m" }, "text content is required"],
    [{ model: "m", content: [] }, "text content is required"],
    [{ model: "m", content: "words" }, "text content is required"],
    [{ model: "m", content: [{ type: "text", text: "  " }] }, "text content is required"],
    [{ model: "m", content: [{ type: "text" }] }, "text content is required"],
    [{ model: "m", content: [image()] }, "text content is required"],
    [{ model: "m", content: [WORDS, { type: "image_url" }] }, "image_url.url is required"],
    [{ model: "m", content: [WORDS, image(undefined, " ")] }, "image_url.url is required"],
    [{ model: "m", content: [WORDS, image(undefined, 7)] }, "image_url.url is required"],
    [
      { model: "m", content: [WORDS, { type: "video_url", video_url: {} }] },
      "video_url.url is required",
    ],
    [
      { model: "m", content: [WORDS, { type: "audio_url", audio_url: { url: null } }] },
      "audio_url.url is required",
    ],
    [
      { model: "m", content: [WORDS, { type: "draft_task", draft_task: { id: "x" } }] },
      "content[1].type must be text, image_url, video_url or audio_url",
    ],
    [
      { model: "m", content: [WORDS, image(undefined, "asset://../x")] },
      "content[1].image_url.url must be the id of an asset",
    ],
    [
      { model: "m", content: [WORDS], duration: 0 },
      "duration must be a whole number of seconds from 1 to 3600",
    ],
    [
      { model: "m", content: [WORDS], duration: "5" },
      'duration must be an integer from -1 to 3600, but is "5"',
    ],
    [
      { model: "m", content: [WORDS], generate_audio: "no" },
      'generate_audio must be true or false, but is "no"',
    ],
    [
      { model: "m", content: [WORDS], callback_url: "file:///etc/passwd" },
      "callback_url must be an address that begins with http:// or https://",
    ],
  ])("%j", (body, message) => {
    expect(refusal(body)).toBe(message);
  });

  test("every failure has a code, a type and a message", () => {
    for (const code of Object.keys(FAULTS) as FaultCode[]) {
      expect(inbound.buildError(new GatewayError(code, "It is so."))).toEqual({
        error: { code: expect.any(String), type: expect.any(String), message: "It is so" },
      });
    }
  });

  test("an account without the model has its own code", () => {
    expect(inbound.buildError(new GatewayError("upstream_model_missing", "m"))).toMatchObject({
      error: { code: "ModelNotOpen" },
    });
  });
});

describe("options in the prompt text", () => {
  test("[B4.1-f4] are read by long and short names, and stay in the text", () => {
    const text =
      "a fox --ratio 9:16 --dur 10 --rs 1080P --fps 24 --seed 7 --wm true --cf false --frames 57";

    expect(readFlags(text)).toEqual({
      ratio: "9:16",
      seconds: 10,
      resolution: "1080p",
      framesPerSecond: 24,
      seed: 7,
      watermark: true,
      cameraFixed: false,
      frames: 57,
    });
    expect(readFlags("--duration 5 --resolution 480p --watermark 0 --camerafixed 1")).toEqual({
      seconds: 5,
      resolution: "480p",
      watermark: false,
      cameraFixed: true,
    });
    expect(read([{ type: "text", text }]).prompt).toBe(text);
  });

  test("count by the last of a kind, in any case, and unreadable ones are ignored", () => {
    expect(readFlags("a --DUR 5 b --duration 12")).toEqual({ seconds: 12 });
    expect(readFlags("--dur soon --rs huge --ratio wide --seed 1.5 --wm maybe --dur")).toEqual({});
    expect(readFlags("--wm --cf true")).toEqual({ cameraFixed: true });
    expect(readFlags("a well--dur 5 done")).toEqual({});
    expect(readFlags("--dur 99999 --fps 0 --seed -1")).toEqual({ seed: -1 });
  });

  test("yield to the fields beside the text", () => {
    const { seconds, resolution } = read([{ type: "text", text: "a fox --dur 10 --rs 480p" }], {
      duration: 5,
    });

    expect([seconds, resolution]).toEqual([5, "480p"]);
  });

  test("are searched in time proportional to the text", () => {
    const { seconds } = read([{ type: "text", text: `${"--dur ".repeat(100_000)}7` }]);

    expect(seconds).toBe(7);
  });
});

describe("a task is written", () => {
  test("[B3.1] in the protocol's words, in every state", () => {
    const words = STATUSES.map((status) => inbound.writeTask(aTask({ status }), LINKS)["status"]);

    expect(words).toEqual(["queued", "queued", "queued", "processing", "succeeded", "failed"]);
    expect(inbound.writeSubmitted(aTask())).toEqual({ id: "task_1" });
  });

  test("[B2.2] with its video, its times, and its usage", () => {
    const done = aTask({
      status: "succeeded",
      facts: { scenario: "text", resolution: "720p", ratio: "16:9", seconds: 5, audio: false },
      startedAt: CREATED_AT + 1_000,
      finishedAt: CREATED_AT + 9_500,
      usage: { ...NO_USAGE, outputTokens: 108_900 },
    });
    const videos = [
      { url: "https://cdn.example/v.mp4", lastFrameUrl: "https://cdn.example/l.png" },
    ];

    expect(inbound.writeTask(done, { ...LINKS, videos })).toEqual({
      id: "task_1",
      model: "a-model",
      status: "succeeded",
      content: {
        video_url: "https://cdn.example/v.mp4",
        last_frame_url: "https://cdn.example/l.png",
      },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
      created_at: 1_767_268_800,
      updated_at: 1_767_268_809,
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      generate_audio: false,
    });
  });

  test("[B2.2] with its reason if it failed, without a video", () => {
    const failed = (code: string) =>
      inbound.writeTask(aTask({ status: "failed", failure: { code, message: "No." } }), LINKS);

    expect(failed("task_expired")).toEqual({
      id: "task_1",
      model: "a-model",
      status: "failed",
      error: { code: "task_expired", message: "No." },
      created_at: 1_767_268_800,
      updated_at: 1_767_268_800,
    });
    expect(failed("content_filtered")["error"]).toEqual({
      code: "OutputVideoSensitiveContentDetected",
      message: "No.",
    });
    expect(inbound.writeTask(aTask({ status: "failed" }), LINKS)["error"]).toMatchObject({
      code: "task_failed",
    });
  });
});

describe("a list is requested", () => {
  const listed = (query: string) => readList(new URLSearchParams(query));

  test("by page, state, model and ids", () => {
    expect(listed("")).toEqual({ skip: 0, limit: 10 });
    expect(
      listed(
        "page_num=3&page_size=20&filter.status=running&filter.model=m&filter.task_ids=a&filter.task_ids=b",
      ),
    ).toEqual({ skip: 40, limit: 20, statuses: ["running"], model: "m", ids: ["a", "b"] });
    expect(listed("filter.status=queued").statuses).toEqual([
      "submitting",
      "submit_unknown",
      "queued",
    ]);
  });

  test.each([
    "page_num=0",
    "page_num=x",
    "page_size=501",
    "filter.status=done",
    "filter.service_tier=flex",
  ])("%s is refused", (query) => {
    expect(() => listed(query)).toThrow(GatewayError);
  });
});
