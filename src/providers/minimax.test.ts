import { describe, expect, test } from "bun:test";
import {
  CALLBACK,
  CLIP,
  FIRST,
  held,
  LAST,
  LOOK,
  question,
  refusalOf,
  requestOf,
  rowFor,
  SOUND,
  task,
} from "#test/video-request.ts";

const H3 = "MiniMax-H3";
const WORDS = { type: "text", text: "a lake" };

describe("[B4.5] a request to MiniMax", () => {
  test("has the fields without a vendor default, and no webhook address", () => {
    const extra = { "video-minimax": { callback_url: "https://caller.test" } };

    expect(requestOf("minimax", H3, { extra }, CALLBACK)).toEqual({
      path: "/v2/video_generation",
      lost: [],
      body: {
        model: H3,
        content: [WORDS],
        resolution: "768P",
        duration: 5,
        ratio: "16:9",
      },
    });
  });

  test("has every supported field", () => {
    const { body } = requestOf("minimax", H3, {
      scenario: "first_last",
      media: [FIRST, held("last_frame", "aGk=", "image/jpeg")],
      seconds: 15,
      resolution: "2k",
      ratio: "adaptive",
      watermark: false,
    });

    expect(body).toEqual({
      model: H3,
      content: [
        WORDS,
        { type: "image_url", image_url: { url: "https://a.test/1.png" }, role: "first_frame" },
        {
          type: "image_url",
          image_url: { url: "data:image/jpeg;base64,aGk=" },
          role: "last_frame",
        },
      ],
      resolution: "2K",
      duration: 15,
      ratio: "adaptive",
      aigc_watermark: false,
    });
  });

  test("has all media with their roles", () => {
    const { body } = requestOf("minimax", H3, { scenario: "omni", media: [LOOK, CLIP, SOUND] });

    expect(body["content"]).toEqual([
      WORDS,
      { type: "image_url", image_url: { url: "https://a.test/r.png" }, role: "reference_image" },
      { type: "video_url", video_url: { url: "https://a.test/c.mp4" }, role: "reference_video" },
      { type: "audio_url", audio_url: { url: "https://a.test/s.mp3" }, role: "reference_audio" },
    ]);
    expect(body).not.toHaveProperty("ratio");
  });

  test.each([4, 15])("may have %i seconds", (seconds) => {
    expect(requestOf("minimax", H3, { seconds }).body["duration"]).toBe(seconds);
  });

  test.each(["21:9", "16:9", "4:3", "1:1", "3:4", "9:16"])("may have the ratio %s", (ratio) => {
    expect(requestOf("minimax", H3, { ratio }).body["ratio"]).toBe(ratio);
  });

  test.each([
    [{ seconds: 3 }, "duration"],
    [{ seconds: 16 }, "duration"],
    [{ resolution: "720p" }, "resolution"],
    [{ resolution: "1080p" }, "resolution"],
    [{ ratio: "2:1" }, "ratio"],
    [{ ratio: "adaptive" }, "ratio"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: "x".repeat(7_001) }, "prompt"],
    [{ count: 2 }, "n"],
    [{ scenario: "omni", media: [FIRST, LOOK] }, "image"],
    [{ scenario: "omni", media: [FIRST, SOUND] }, "image"],
    [{ scenario: "first_last", media: [LAST] }, "image"],
    [{ scenario: "first_last", media: [FIRST, LAST, LAST] }, "image"],
    [{ scenario: "omni", media: Array(10).fill(LOOK) }, "image"],
    [{ scenario: "omni", media: Array(4).fill(CLIP) }, "video"],
    [{ scenario: "omni", media: [LOOK, ...Array(4).fill(SOUND)] }, "audio"],
    [{ scenario: "omni", media: [SOUND] }, "audio"],
  ])("that the vendor would refuse is refused by the gateway: %j", (said, param) => {
    const asked = said as Parameters<typeof refusalOf>[2];

    expect(refusalOf("minimax", H3, asked)).toStartWith(`invalid_request | ${param} |`);
  });

  test("may have the vendor's maximum of media", () => {
    const media = [...Array(9).fill(LOOK), ...Array(3).fill(CLIP), ...Array(3).fill(SOUND)];

    expect(refusalOf("minimax", H3, { scenario: "omni", media })).toBeUndefined();
  });

  test("cannot have files stored at another vendor", () => {
    const source = { kind: "asset", id: "asset-1" } as const;
    const media = [{ type: "image", role: "reference", source }] as const;

    expect(refusalOf("minimax", H3, { scenario: "reference", media })).toStartWith(
      "not_carried | image |",
    );
  });

  test("reports unsupported options", () => {
    const wishes = { seed: 3, audio: true, lastFrame: false, cameraFixed: true };

    expect(requestOf("minimax", H3, wishes).lost).toEqual(["seed", "audio", "camera_fixed"]);
  });

  test("is polled at its own address", () => {
    const { poll, webhooks } = rowFor("minimax", question(H3));

    expect(poll.path(task(H3))).toBe("/v2/query/video_generation/77");
    expect(webhooks).toBeUndefined();
  });
});

describe("a request to MiniMax's older models", () => {
  const MODEL = "MiniMax-Hailuo-02";

  test("has the supported fields", () => {
    const { path, body, lost } = requestOf("minimax", MODEL, {
      scenario: "first_last",
      media: [FIRST, LAST],
      seconds: 6,
      resolution: "1080p",
      rewrite: false,
      watermark: true,
      ratio: "16:9",
      extra: { "video-minimax-older": { fast_pretreatment: true, callback_url: "u" } },
    });

    expect(path).toBe("/v1/video_generation");
    expect(lost).toEqual(["ratio"]);
    expect(body).toEqual({
      fast_pretreatment: true,
      model: MODEL,
      prompt: "a lake",
      prompt_optimizer: false,
      duration: 6,
      resolution: "1080P",
      aigc_watermark: true,
      first_frame_image: "https://a.test/1.png",
      last_frame_image: "https://a.test/2.png",
    });
  });

  test("may have one face as a reference", () => {
    expect(requestOf("minimax", "S2V-01", { scenario: "reference", media: [LOOK] }).body).toEqual({
      model: "S2V-01",
      prompt: "a lake",
      duration: 6,
      resolution: "720P",
      subject_reference: [{ type: "character", image: ["https://a.test/r.png"] }],
    });
  });

  test.each(["MiniMax-Hailuo-2.3", "MiniMax-Hailuo-2.3-Fast", "T2V-01", "I2V-01", "S2V-01"])(
    "goes to the older address: %s",
    (model) => {
      expect(requestOf("minimax", model).path).toBe("/v1/video_generation");
    },
  );

  test.each([
    [{ seconds: 5 }, "duration"],
    [{ resolution: "2k" }, "resolution"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: "x".repeat(2_001) }, "prompt"],
    [{ media: [LOOK, LOOK] }, "image"],
    [{ media: [FIRST, LOOK] }, "image"],
    [{ media: [CLIP] }, "video"],
  ])("that the vendor would refuse is refused by the gateway: %j", (said, param) => {
    expect(refusalOf("minimax", MODEL, said)).toStartWith(`invalid_request | ${param} |`);
  });

  test("needs two requests for its result", () => {
    const { poll } = rowFor("minimax", question(MODEL));

    expect(poll.path(task(MODEL))).toBe("/v1/query/video_generation?task_id=77");
    expect(poll.restOf?.({ status: "Success", file_id: "9&x" })).toBe(
      "/v1/files/retrieve?file_id=9%26x",
    );
    expect(poll.restOf?.({ status: "Processing", file_id: "" })).toBeUndefined();
    expect(poll.restOf?.({ status: "Success" })).toBeUndefined();
  });
});
