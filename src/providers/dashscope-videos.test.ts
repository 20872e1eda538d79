import { describe, expect, test } from "bun:test";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import {
  BASE,
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

type Said = Partial<VideoRequest>;
const of = (model: string, said: Said = {}) => requestOf("dashscope", model, said);
const parameters = (model: string, said: Said = {}) => objectOf(of(model, said).body["parameters"]);
const input = (model: string, said: Said = {}) => objectOf(of(model, said).body["input"]);
const lost = (model: string, said: Said) => of(model, said).lost;
const refused = (model: string, said: Said) => refusalOf("dashscope", model, said);

const SYNTHESIS = "/../../api/v1/services/aigc/video-generation/video-synthesis";
const VOICE: VideoMedia = { ...SOUND, role: "voice" };
const link = { first: "https://a.test/1.png", last: "https://a.test/2.png" };
const PROMPT = { prompt: "a lake" };
/** Of one who says nothing: what the gateway documents, since the vendor's defaults are dearer. */
const BASIC = { prompt_extend: false, duration: 5 };
const SIZED = { ...BASIC, size: "1280*720" };
const USUAL = { ...BASIC, resolution: "720P" };

describe("a video request has the fields of its model's generation", () => {
  test.each<[string, Said, JsonObject, JsonObject]>([
    ["wanx2.1-t2v-plus", {}, PROMPT, SIZED],
    ["wan2.2-t2v-plus", {}, PROMPT, { ...BASIC, size: "1920*1080" }],
    ["wan2.5-t2v-preview", {}, PROMPT, { ...SIZED, audio: false }],
    ["wan2.6-t2v", {}, PROMPT, SIZED],
    ["wan2.7-t2v", {}, PROMPT, USUAL],
    ["wan2.2-i2v-flash", { media: [FIRST] }, { ...PROMPT, img_url: link.first }, USUAL],
    [
      "wan2.5-i2v-preview",
      { media: [FIRST, VOICE] },
      { ...PROMPT, img_url: link.first, audio_url: "https://a.test/s.mp3" },
      { ...USUAL, audio: false },
    ],
    [
      "wan2.6-i2v-flash",
      { media: [FIRST], audio: true },
      { ...PROMPT, img_url: link.first },
      { ...USUAL, audio: true },
    ],
    ["wan2.6-i2v", { media: [FIRST] }, { ...PROMPT, img_url: link.first }, USUAL],
    [
      "wan2.2-kf2v-flash",
      { media: [FIRST, LAST] },
      { ...PROMPT, first_frame_url: link.first, last_frame_url: link.last },
      USUAL,
    ],
    [
      "wan2.6-r2v",
      { media: [LOOK, CLIP] },
      { ...PROMPT, reference_urls: ["https://a.test/c.mp4", "https://a.test/r.png"] },
      SIZED,
    ],
    [
      "wan2.7-i2v",
      { media: [FIRST, LAST, VOICE] },
      {
        ...PROMPT,
        media: [
          { type: "first_frame", url: link.first },
          { type: "last_frame", url: link.last },
          { type: "driving_audio", url: "https://a.test/s.mp3" },
        ],
      },
      USUAL,
    ],
    [
      "wan2.7-i2v",
      { media: [BASE] },
      { ...PROMPT, media: [{ type: "first_clip", url: "https://a.test/b.mp4" }] },
      { prompt_extend: false, resolution: "720P" },
    ],
    [
      "wan2.7-r2v",
      { media: [CLIP, LOOK, VOICE] },
      {
        ...PROMPT,
        media: [
          { type: "reference_video", url: "https://a.test/c.mp4" },
          {
            type: "reference_image",
            url: "https://a.test/r.png",
            reference_voice: "https://a.test/s.mp3",
          },
        ],
      },
      USUAL,
    ],
    [
      "wan2.7-videoedit",
      { media: [BASE, LOOK] },
      {
        ...PROMPT,
        media: [
          { type: "video", url: "https://a.test/b.mp4" },
          { type: "reference_image", url: "https://a.test/r.png" },
        ],
      },
      { prompt_extend: false, resolution: "720P" },
    ],
  ])("%s, %p", (model, said, input, parameters) => {
    const { path, ...request } = of(model, said);

    expect(request).toEqual({ body: { model, input, parameters }, lost: [] });
    expect(path).toBe(
      model.includes("kf2v")
        ? "/../../api/v1/services/aigc/image2video/video-synthesis"
        : SYNTHESIS,
    );
  });

  test("[B4.1-f3] with all supported options", () => {
    const said: Said = {
      negativePrompt: "fog",
      size: "720x1280",
      seconds: 10,
      rewrite: true,
      audio: true,
      watermark: false,
      seed: 2_147_483_647,
      media: [VOICE],
    };

    expect(of("wan2.5-t2v-preview", said)).toMatchObject({
      body: {
        input: { ...PROMPT, negative_prompt: "fog", audio_url: "https://a.test/s.mp3" },
        parameters: {
          size: "720*1280",
          duration: 10,
          prompt_extend: true,
          audio: true,
          watermark: false,
          seed: 2_147_483_647,
        },
      },
      lost: [],
    });
  });

  test("at the address beside the compatible mode, as a task", () => {
    const { path, headers, poll, cancel } = rowFor("dashscope", question("wan2.6-t2v"));
    const ref = task("wan2.6-t2v", { upstreamId: "0385/../dc" });
    const url = (below: string) =>
      new URL(`https://dashscope.example/compatible-mode/v1${below}`).pathname;

    expect(headers).toMatchObject({ "x-dashscope-async": "enable" });
    expect(url(path("wan2.6-t2v", question("wan2.6-t2v"), {}))).toBe(
      "/api/v1/services/aigc/video-generation/video-synthesis",
    );
    expect(url(poll.path(ref))).toBe("/api/v1/tasks/0385%2F..%2Fdc");
    expect([cancel?.method, url(cancel?.path(ref) ?? "")]).toEqual([
      "POST",
      "/api/v1/tasks/0385%2F..%2Fdc/cancel",
    ]);
  });
});

describe("[B4.1-f3] the size, in the form of each kind of model", () => {
  test.each<[string, Said, JsonObject]>([
    ["wan2.6-t2v", { size: "1920*1080" }, { size: "1920*1080" }],
    ["wan2.6-t2v", { size: "832X1088" }, { size: "832*1088" }],
    ["wan2.6-t2v", { resolution: "720p" }, { size: "1280*720" }],
    ["wan2.6-t2v", { resolution: "1080p", ratio: "3:4" }, { size: "1248*1632" }],
    ["wan2.6-t2v", { ratio: "1:1" }, { size: "960*960" }],
    ["wan2.6-t2v", { ratio: "adaptive" }, { size: "1280*720" }],
    ["wan2.6-r2v", { resolution: "480p", ratio: "9:16", media: [LOOK] }, { size: "480*832" }],
    ["wan2.6-i2v", { resolution: "480p", media: [FIRST] }, { resolution: "480P" }],
    ["wan2.6-i2v", { size: "1280x720", media: [FIRST] }, { resolution: "720P" }],
    ["wan2.6-i2v", { size: "624*624", media: [FIRST] }, { resolution: "480P" }],
    ["wan2.6-i2v", { size: "960x960", media: [FIRST] }, { resolution: "720P" }],
    ["wan2.7-t2v", { resolution: "1080p", ratio: "4:3" }, { resolution: "1080P", ratio: "4:3" }],
    ["wan2.7-t2v", { size: "1088x832" }, { resolution: "720P", ratio: "4:3" }],
  ])("%s, %p: %p", (model, said, expected) => {
    expect(parameters(model, said)).toEqual({ ...BASIC, ...expected });
    expect(lost(model, said)).toEqual([]);
  });

  test.each<[string, Said, string]>([
    ["wan2.6-t2v", { size: "1024*1024" }, "size | 'size' must be one of 832*480, 480*832"],
    ["wan2.6-t2v", { resolution: "4k" }, "resolution | 'resolution' must be 480p, 720p or 1080p."],
    [
      "wan2.6-t2v",
      { resolution: "480p", ratio: "4:3" },
      "ratio | 'ratio' must be one of 16:9, 9:16, 1:1 at 480p.",
    ],
    ["wan2.6-i2v", { resolution: "768p", media: [FIRST] }, "resolution"],
    ["wan2.7-t2v", { ratio: "21:9" }, "ratio"],
    ["wan2.7-t2v", { size: "huge" }, "size"],
  ])("%s, %p is refused", (model, said, why) => {
    expect(refused(model, said)).toStartWith(`invalid_request | ${why}`);
  });

  test("a ratio that the image decides is reported", () => {
    const said = { ratio: "16:9", media: [FIRST] };

    expect(lost("wan2.6-i2v", said)).toEqual(["ratio"]);
    expect(parameters("wan2.6-i2v", said)).toEqual(USUAL);
  });
});

test.each<[string, readonly number[], readonly number[]]>([
  ["wanx2.1-t2v-plus", [5], [4, 10]],
  ["wanx2.1-t2v-turbo", [3, 4, 5], [2, 6]],
  ["wan2.2-t2v-plus", [5], [10]],
  ["wan2.5-t2v-preview", [5, 10], [6, 15]],
  ["wan2.6-t2v", [2, 5, 10, 15], [1, 16]],
  ["wan2.7-t2v", [2, 15], [1, 16, 2.5]],
])("[B4.1-f3] %s makes %p seconds, and not %p", (model, taken, not) => {
  for (const seconds of taken)
    expect(parameters(model, { seconds })).toMatchObject({ duration: seconds });
  for (const seconds of not) {
    expect(refused(model, { seconds })).toStartWith("invalid_request | duration");
  }
});

describe("[B4.1-f3] sound and prompt rewriting are always sent if the model supports them", () => {
  test.each<[string, boolean | undefined, boolean | undefined, boolean]>([
    ["wan2.5-t2v-preview", undefined, false, false],
    ["wan2.5-t2v-preview", true, true, false],
    ["wan2.6-t2v", undefined, undefined, false],
    ["wan2.6-t2v", true, undefined, false],
    ["wan2.6-t2v", false, undefined, true],
    ["wan2.2-t2v-plus", false, undefined, false],
    ["wan2.2-t2v-plus", true, undefined, true],
  ])("%s, %p: %p, reported: %p", (model, audio, expected, isLost) => {
    const said = audio === undefined ? {} : { audio };

    expect(parameters(model, said)?.["audio"]).toBe(expected as boolean);
    expect(lost(model, said)).toEqual(isLost ? ["audio"] : []);
  });

  test("a client's sound is supported by some models", () => {
    expect(refused("wan2.2-t2v-plus", { media: [VOICE] })).toStartWith("invalid_request | audio");
    expect(refused("wan2.6-r2v", { media: [LOOK, VOICE] })).toStartWith("invalid_request | audio");
    expect(refused("wan2.5-t2v-preview", { media: [VOICE, SOUND] })).toContain("one audio input");
  });
});

describe("media", () => {
  test("as bytes are sent as data if they are images", () => {
    const url = "data:image/png;base64,aGk=";

    expect(input("wan2.6-i2v", { media: [held("first_frame")] })).toMatchObject({ img_url: url });
    expect(input("wan2.7-i2v", { media: [held("first_frame")] })).toMatchObject({
      media: [{ type: "first_frame", url }],
    });
    const clip = { ...CLIP, source: held("reference", "AAAA", "video/mp4").source };
    expect(refused("wan2.6-r2v", { media: [clip] })).toContain("must be a link");
  });

  test("may be in the vendor's own storage, and in no other", () => {
    const stored = { kind: "reference", id: "oss://dashscope-instant/fox.png" } as const;
    const other = { kind: "reference", id: "file-1" } as const;

    expect(input("wan2.6-i2v", { media: [{ ...FIRST, source: stored }] })).toMatchObject({
      img_url: stored.id,
    });
    expect(refused("wan2.6-i2v", { media: [{ ...FIRST, source: other }] })).toStartWith(
      "not_carried | image",
    );
  });

  test("given as a reference are the first frame if the model supports nothing else", () => {
    expect(input("wan2.6-i2v", { media: [LOOK] })).toMatchObject({
      img_url: "https://a.test/r.png",
    });
  });

  test.each<[string, string, readonly VideoMedia[]]>([
    ["none", "wan2.6-i2v", []],
    ["two", "wan2.6-i2v", [FIRST, LOOK]],
    ["a last frame", "wan2.6-i2v", [FIRST, LAST]],
    ["a video", "wan2.6-i2v", [FIRST, CLIP]],
    ["one of two frames", "wan2.2-kf2v-flash", [FIRST]],
    ["a third", "wan2.2-kf2v-flash", [FIRST, LAST, LOOK]],
    ["a picture", "wan2.6-t2v", [FIRST]],
    ["nothing to refer to", "wan2.6-r2v", []],
    ["six to refer to", "wan2.6-r2v", [LOOK, LOOK, LOOK, LOOK, LOOK, LOOK]],
    ["four videos", "wan2.6-r2v", [CLIP, CLIP, CLIP, CLIP]],
    ["an empty list", "wan2.7-i2v", []],
    ["two videos to go on from", "wan2.7-i2v", [BASE, BASE]],
    ["a voice without a person", "wan2.7-r2v", [VOICE, LOOK]],
    ["two voices of one", "wan2.7-r2v", [LOOK, VOICE, VOICE]],
  ])("%s for %s is refused", (_what, model, media) => {
    expect(refused(model, { media })).toStartWith("invalid_request | ");
  });
});

describe("the prompt", () => {
  test.each<[string, number]>([
    ["wan2.2-t2v-plus", 800],
    ["wan2.6-t2v", 2_000],
    ["wan2.7-t2v", 5_000],
  ])("of %s may have %d characters, and longer ones are refused", (model, most) => {
    expect(input(model, { prompt: "🦊".repeat(most) })?.["prompt"]).toHaveLength(2 * most);
    expect(refused(model, { prompt: "🦊".repeat(most + 1) })).toBe(
      `invalid_request | prompt | 'prompt' must have ${most} characters at most, not ${most + 1}.`,
    );
  });

  test("is required without an image", () => {
    expect(refused("wan2.6-t2v", { prompt: "" })).toStartWith("invalid_request | prompt");
    expect(input("wan2.6-i2v", { prompt: "", media: [FIRST] })).toEqual({ img_url: link.first });
    expect(refused("wan2.6-t2v", { negativePrompt: "n".repeat(501) })).toContain("500 characters");
  });
});

describe("vendor-specific members", () => {
  test("are sent to the models that support them, and cannot change the call", () => {
    const extra = { "video-unified": { shot_type: "multi", template: "hug", model: "dearer" } };

    expect(of("wan2.6-t2v", { extra })).toMatchObject({
      body: { model: "wan2.6-t2v", parameters: { shot_type: "multi" } },
      lost: ["template", "model"],
    });
    expect(of("wan2.2-i2v-flash", { extra, media: [FIRST] })).toMatchObject({
      body: { input: { template: "hug" } },
      lost: ["shot_type", "model"],
    });
  });

  test("seeds are integers, and -1 counts as no seed", () => {
    expect(parameters("wan2.6-t2v", { seed: -1 })).toEqual(SIZED);
    for (const seed of [-2, 0.5, 2_147_483_648]) {
      expect(refused("wan2.6-t2v", { seed })).toStartWith("invalid_request | seed");
    }
  });
});

test("a model's defaults are known before the request", () => {
  const expected = (model: string, said: Said = {}) => {
    const { style, dialect } = rowFor("dashscope", question(model));
    return style.outbound.expect?.(question(model, said), dialect);
  };

  expect(expected("wan2.2-t2v-plus")).toEqual({ seconds: 5, resolution: "1080p", audio: false });
  expect(expected("wan2.5-t2v-preview", { size: "1280*720" })).toEqual({
    seconds: 5,
    resolution: "720p",
    audio: false,
  });
  expect(expected("wan2.5-t2v-preview", { media: [VOICE] })).toMatchObject({ audio: true });
  expect(expected("wan2.7-t2v", { seconds: 10 })).toEqual({
    seconds: 10,
    resolution: "720p",
    audio: true,
  });
});

test("image and text models make no videos, and remixes are not supported", () => {
  for (const model of ["wan2.5-t2i-preview", "wanx2.1-t2i-turbo", "qwen-plus"]) {
    expect(() => rowFor("dashscope", question(model))).toThrow();
  }
  expect(refused("wan2.6-t2v", { scenario: "remix" })).toStartWith("not_carried | video_id");
});
