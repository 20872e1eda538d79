import { describe, expect, test } from "bun:test";
import type { VideoRequest } from "#core/video.ts";
import {
  BASE,
  CALLBACK,
  CLIP,
  FIRST,
  held,
  LAST,
  linked,
  LOOK,
  question,
  refusalOf,
  requestOf,
  rowFor,
  SOUND,
  task,
} from "#test/video-request.ts";

const PRO = "doubao-seedance-1-0-pro-250528";
const FAST = "doubao-seedance-1-0-pro-fast-251015";
const WORDS_ONLY = "doubao-seedance-1-0-lite-t2v-250428";
const LITE = "doubao-seedance-1-0-lite-i2v-250428";
const SPEAKING = "doubao-seedance-1-5-pro-251215";
const SECOND = "dreamina-seedance-2-0-260128";
const SECOND_FAST = "doubao-seedance-2-0-fast-260128";
const LATEST = "doubao-seedance-2-5-260601";
const OWN_NAME = "ep-20260101000000-abcde";

const sent = (model: string, said: Partial<VideoRequest> = {}) =>
  requestOf("ark", model, said).body;
const lost = (model: string, said: Partial<VideoRequest> = {}) =>
  requestOf("ark", model, said).lost;
const refused = (model: string, said: Partial<VideoRequest>) => refusalOf("ark", model, said);

const TEXT = { type: "text", text: "a lake" };
/** Said to every model whose caller does not say it: what is reserved for. */
const USUAL = { duration: 5, resolution: "720p" };

describe("a video request", () => {
  test("is text and a model, with the default length and resolution only", () => {
    expect(requestOf("ark", SECOND)).toEqual({
      path: "/contents/generations/tasks",
      body: { model: SECOND, content: [TEXT], ...USUAL },
      lost: [],
    });
  });

  test("[B4.2-a] has every given field, including false ones", () => {
    const said = {
      seconds: 5,
      resolution: "1080p",
      ratio: "9:16",
      seed: 42,
      audio: false,
      watermark: false,
      cameraFixed: false,
      lastFrame: true,
      user: "u1",
      callbackUrl: "https://caller.test/hook",
    };

    expect(requestOf("ark", SPEAKING, said, CALLBACK)).toEqual({
      path: "/contents/generations/tasks",
      body: {
        model: SPEAKING,
        content: [TEXT],
        resolution: "1080p",
        ratio: "9:16",
        duration: 5,
        seed: 42,
        generate_audio: false,
        watermark: false,
        camera_fixed: false,
        return_last_frame: true,
        callback_url: CALLBACK,
        safety_identifier: "u1",
      },
      lost: [],
    });
  });

  test("never has the client's webhook address", () => {
    const { body } = requestOf("ark", SECOND, { callbackUrl: "https://caller.test/hook" });

    expect(JSON.stringify(body)).not.toContain("caller.test");
  });

  test("in the vendor's own protocol keeps vendor-specific fields", () => {
    const members = { execution_expires_after: 3_600, priority: 3, omni_reference_task_type: "x" };

    const own = { "video-ark": { ...members, model: "dearer", content: [] } };
    expect(sent(SECOND, { extra: own })).toEqual({
      ...members,
      model: SECOND,
      content: [TEXT],
      ...USUAL,
    });
    const other = { "video-unified": { ...members, camera: 1 } };
    expect(requestOf("ark", SECOND, { extra: other })).toMatchObject({
      body: { execution_expires_after: 3_600, priority: 3 },
      lost: ["omni_reference_task_type", "camera"],
    });
  });

  test("reports options that the vendor does not support", () => {
    const wishes = {
      negativePrompt: "fog",
      music: true,
      rewrite: false,
      guidance: 0.5,
      mode: "pro",
      framesPerSecond: 60,
      user: "u".repeat(65),
    };

    expect(requestOf("ark", SECOND, wishes)).toMatchObject({
      body: { model: SECOND, content: [TEXT], ...USUAL },
      lost: expect.arrayContaining([
        "negative_prompt",
        "bgm",
        "prompt_extend",
        "cfg_scale",
        "mode",
        "fps",
        "user",
      ]),
    });
    expect(lost(SECOND, { framesPerSecond: 24, music: false, count: 1 })).toEqual([]);
  });
});

describe("media", () => {
  test("[B4.2-b] have their roles, in the client's order", () => {
    expect(sent(SECOND, { media: [FIRST, LAST] })["content"]).toEqual([
      TEXT,
      { type: "image_url", image_url: { url: "https://a.test/1.png" }, role: "first_frame" },
      { type: "image_url", image_url: { url: "https://a.test/2.png" }, role: "last_frame" },
    ]);
    expect(sent(SECOND, { media: [CLIP, LOOK, SOUND, BASE] })["content"]).toEqual([
      TEXT,
      { type: "video_url", video_url: { url: "https://a.test/c.mp4" }, role: "reference_video" },
      { type: "image_url", image_url: { url: "https://a.test/r.png" }, role: "reference_image" },
      { type: "audio_url", audio_url: { url: "https://a.test/s.mp3" }, role: "reference_audio" },
      { type: "video_url", video_url: { url: "https://a.test/b.mp4" }, role: "reference_video" },
    ]);
  });

  test("need no prompt beside them", () => {
    const { prompt: _, ...wordless } = question(SECOND, { media: [FIRST] });

    expect(sent(SECOND, { ...wordless, prompt: "" })["content"]).toHaveLength(1);
    expect(refused(SECOND, { prompt: " " })).toStartWith("invalid_request | prompt");
  });

  test("as bytes are sent as data, with the vendor's name of the format", () => {
    const wave = { ...SOUND, source: held("voice", "UklGRgAA", "audio/x-wav").source };
    const mp3 = { ...SOUND, source: held("voice", "SUQzBAAA", "").source };

    const content = sent(SECOND, { media: [{ ...held("reference") }, wave, mp3] })["content"];
    expect(content).toMatchObject([
      TEXT,
      { image_url: { url: "data:image/png;base64,aGk=" } },
      { audio_url: { url: "data:audio/wav;base64,UklGRgAA" } },
      { audio_url: { url: "data:audio/mp3;base64,SUQzBAAA" } },
    ]);
    const clip = { ...CLIP, source: held("reference", "AAAA", "video/mp4").source };
    expect(refused(SECOND, { media: [clip] })).toBe(
      "invalid_request | video | 'video' must be a link for this model.",
    );
  });

  test("[B4.9-e] of the library have the vendor's ids", () => {
    const source = { kind: "asset", id: "asset-2026-abc" } as const;
    const media = [LOOK, CLIP, SOUND].map((each) => ({ ...each, source }));

    expect(JSON.stringify(sent(SECOND, { media }))).toContain('{"url":"asset://asset-2026-abc"}');
    expect(sent(SECOND, { media })["content"]).toHaveLength(4);
  });

  test.each<[string, string, Partial<VideoRequest>, string]>([
    ["a last frame alone", SECOND, { media: [LAST] }, "image | A last frame requires a first"],
    ["two first frames", SECOND, { media: [FIRST, FIRST] }, "image | At most one first frame"],
    [
      "[B4.2-b] a last frame beside a reference",
      SECOND,
      { media: [FIRST, LAST, LOOK] },
      "image | A last frame cannot be combined",
    ],
    ["a first frame beside a sound", SECOND, { media: [FIRST, SOUND] }, "image | A first frame"],
    [
      "ten references",
      SECOND,
      { media: Array(10).fill(LOOK) },
      "image | This model accepts at most 9",
    ],
    [
      "five references",
      LITE,
      { media: Array(5).fill(LOOK) },
      "image | This model accepts at most 4",
    ],
    ["four videos", SECOND, { media: Array(4).fill(CLIP) }, "video | This model accepts at most 3"],
    [
      "four sounds",
      SECOND,
      { media: [LOOK, ...Array(4).fill(SOUND)] },
      "audio | This model accepts at most 3",
    ],
    ["a sound alone", SECOND, { media: [SOUND] }, "audio | 'audio' requires an image"],
    [
      "an image for a text-only video",
      WORDS_ONLY,
      { media: [FIRST] },
      "image | This model does not accept",
    ],
    ["two videos at once", SECOND, { count: 2 }, "n | 'n' must be 1"],
  ])("%s is refused", (_what, model, said, why) => {
    expect(refused(model, said)).toStartWith(`invalid_request | ${why}`);
  });

  test("of audio only are accepted by the newest model", () => {
    expect(sent(LATEST, { media: [SOUND] })["content"]).toHaveLength(2);
  });

  test("files at another vendor and remixes cannot be sent", () => {
    const kept = { ...LOOK, source: { kind: "reference", id: "file-1" } } as const;

    expect(refused(SECOND, { media: [kept] })).toStartWith("not_carried | image");
    expect(refused(SECOND, { scenario: "remix" })).toStartWith("not_carried | video_id");
  });
});

test("[B4.1-f4] text is read from the list of contents only, if the protocol has one", () => {
  expect(refused(SECOND, { wordsIn: "prompt" })).toStartWith(
    "invalid_request | metadata.content | 'metadata.content' is required",
  );
  expect(sent(SECOND, { wordsIn: "content" })).toMatchObject({ content: [TEXT] });
});

describe("the length", () => {
  test.each<[string, readonly number[], readonly number[]]>([
    [PRO, [2, 12], [-1, 1, 13, 2.5]],
    [FAST, [2, 12], [1, 13]],
    [SPEAKING, [-1, 4, 12], [3, 13]],
    [SECOND, [4, 15], [-1, 0, 3, 16, 4.5, -2]],
    [SECOND_FAST, [4, 15], [-1, 3, 16]],
    [LATEST, [-1, 4, 30], [3, 31]],
    [OWN_NAME, [-1, 1, 30], [0]],
  ])("of %s may be %p seconds, and not %p", (model, taken, not) => {
    for (const seconds of taken) expect(sent(model, { seconds })["duration"]).toBe(seconds);
    for (const seconds of not) {
      expect(refused(model, { seconds })).toStartWith("invalid_request | duration");
    }
  });

  test("is in frames for the first generation only", () => {
    for (const frames of [29, 57, 289]) {
      const framed = { model: PRO, content: [TEXT], frames, resolution: "1080p" };
      expect(sent(PRO, { frames })).toEqual(framed);
    }
    expect(sent(PRO, { frames: 57, seconds: 3 })).toMatchObject({ frames: 57, duration: 3 });
    for (const frames of [25, 28, 30, 293]) {
      expect(refused(PRO, { frames })).toStartWith("invalid_request | frames");
    }
    expect(sent(SECOND, { frames: 121 })).toMatchObject({ duration: 5 });
    expect(sent(SECOND, { frames: 121 })).not.toHaveProperty("frames");
  });
});

describe("the size", () => {
  test.each<[string, string, boolean]>([
    [PRO, "1080p", true],
    [PRO, "4k", false],
    [SPEAKING, "1080p", true],
    [SECOND, "4k", true],
    [SECOND_FAST, "720p", true],
    [SECOND_FAST, "1080p", false],
    ["doubao-seedance-2-0-mini-260428", "1080p", false],
    [LATEST, "1080p", true],
    [LATEST, "4k", false],
    [SECOND, "768p", false],
    [OWN_NAME, "4k", true],
  ])("of %s at %s: %p", (model, resolution, isTaken) => {
    if (isTaken) expect(sent(model, { resolution })).toMatchObject({ resolution });
    else expect(refused(model, { resolution })).toStartWith("invalid_request | resolution");
  });

  test.each([
    ["1280x720", "720p", "16:9"],
    ["720x1280", "720p", "9:16"],
    ["1280*720", "720p", "16:9"],
    ["640x640", "480p", "1:1"],
    ["960x960", "720p", "1:1"],
    ["1440x1440", "1080p", "1:1"],
    ["864x496", "480p", "16:9"],
    ["496x864", "480p", "9:16"],
    ["834x1112", "720p", "3:4"],
    ["2206x946", "1080p", "21:9"],
  ])("%s is %s, %s", (size, resolution, ratio) => {
    const shaped = { model: SECOND, content: [TEXT], duration: 5, resolution, ratio };
    expect(sent(SECOND, { size })).toEqual(shaped);
  });

  test("has one of the supported ratios", () => {
    for (const ratio of ["16:9", "9:16", "4:3", "3:4", "1:1", "21:9", "adaptive"]) {
      expect(sent(SECOND, { ratio })["ratio"]).toBe(ratio);
    }
    expect(refused(SECOND, { ratio: "2:1" })).toBe(
      "invalid_request | ratio | 'ratio' must be 16:9, 9:16, 4:3, 3:4, 1:1, 21:9 or adaptive.",
    );
  });
});

describe("options that only some models support", () => {
  test("are omitted for the others, with a report", () => {
    expect(sent(PRO, { audio: true })).not.toHaveProperty("generate_audio");
    expect(lost(PRO, { audio: true })).toEqual(["audio"]);
    expect(lost(PRO, { audio: false })).toEqual([]);
    expect(sent(SECOND, { cameraFixed: true })).not.toHaveProperty("camera_fixed");
    expect(lost(SECOND, { cameraFixed: true })).toEqual(["camera_fixed"]);
    expect(lost(LITE, { cameraFixed: true, media: [LOOK] })).toEqual(["camera_fixed"]);
    expect(sent(LITE, { cameraFixed: true, media: [FIRST] })).toMatchObject({ camera_fixed: true });
  });

  const SEARCH = { tools: [{ type: "web_search" }] };
  test.each([
    [SECOND, { service_tier: "flex" }, ["service_tier"]],
    [SECOND, { service_tier: "default" }, []],
    [SECOND, { draft: true }, ["draft"]],
    [SECOND, { draft: false }, []],
    [SPEAKING, { draft: true, service_tier: "flex" }, []],
    [SPEAKING, SEARCH, ["tools"]],
    [SECOND, SEARCH, []],
    [PRO, { draft: true, priority: 1 }, ["draft", "priority"]],
  ])("on %s with %p lose %p", (model, members, fields) => {
    expect(lost(model, { extra: { "video-ark": members } })).toEqual(fields);
  });

  test.each([
    ["service_tier", "slow"],
    ["execution_expires_after", 3_599],
    ["execution_expires_after", 259_201],
    ["priority", 10],
    ["priority", 0.5],
    ["draft", "yes"],
    ["tools", [{ type: "shell" }]],
    ["output_format", "mov"],
  ])("of %s cannot be %p", (name, value) => {
    expect(refused(SECOND, { extra: { "video-ark": { [name]: value } } })).toStartWith(
      `invalid_request | ${name}`,
    );
  });

  test("include another container for the newest model", () => {
    expect(sent(LATEST, { extra: { "video-ark": { output_format: "mov" } } })).toMatchObject({
      output_format: "mov",
    });
  });

  test("seeds are integers, and -1 means random", () => {
    for (const seed of [-1, 0, 4_294_967_295]) expect(sent(SECOND, { seed })["seed"]).toBe(seed);
    for (const seed of [-2, 1.5, 4_294_967_296]) {
      expect(refused(SECOND, { seed })).toStartWith("invalid_request | seed");
    }
  });
});

test("a model's defaults are known before the request", () => {
  const expected = (model: string, said: Partial<VideoRequest> = {}) => {
    const { style, dialect } = rowFor("ark", question(model));
    return style.outbound.expect?.(question(model, said), dialect);
  };

  expect(expected(PRO)).toEqual({ seconds: 5, resolution: "1080p", audio: false });
  expect(expected(SECOND)).toEqual({ seconds: 5, resolution: "720p", audio: true });
  expect(expected(LATEST, { seconds: -1, audio: false, size: "640x640" })).toEqual({
    seconds: -1,
    resolution: "480p",
    audio: false,
  });
  expect(expected(PRO, { frames: 49, ratio: "1:1" })).toMatchObject({ seconds: 49 / 24 });
});

test("a task is polled, cancelled and reported under one path", () => {
  const { poll, cancel, webhooks, find } = rowFor("ark", question(SECOND));
  const ref = task(SECOND, { upstreamId: "cgt-2026/../x" });

  expect(poll).toMatchObject({ method: "GET" });
  expect(poll.path(ref)).toBe("/contents/generations/tasks/cgt-2026%2F..%2Fx");
  expect(cancel?.method).toBe("DELETE");
  expect(cancel?.path(ref)).toBe(poll.path(ref));
  expect(webhooks?.idIn({ id: "cgt-1", status: "running" })).toBe("cgt-1");
  expect(webhooks?.idIn({ id: 5 })).toBeUndefined();
  expect(find).toBeUndefined();
});

test("media may be any links, since the vendor follows them", () => {
  const { media } = rowFor("ark", question(SECOND));

  expect(media.inlines).toEqual([]);
  expect(sent(SECOND, { media: [linked("first_frame", "http://a.test/x?y=1")] })).toMatchObject({
    content: [TEXT, { image_url: { url: "http://a.test/x?y=1" } }],
  });
  expect(() => rowFor("ark", question("doubao-seedream-4-0"))).toThrow();
});
