import { describe, expect, test } from "bun:test";
import type { Signable } from "#core/authorize.ts";
import {
  BASE,
  CALLBACK,
  CLIP,
  FIRST,
  held,
  LAST,
  linked,
  LOOK,
  OUR_ID,
  question,
  refusalOf,
  requestOf,
  rowFor,
  SOUND,
  task,
} from "#test/video-request.ts";
import { kling } from "./kling.ts";

const ASKED: Signable = {
  method: "GET",
  url: new URL("https://upstream.test/v1/videos/text2video/1"),
  headers: {},
  body: "",
  options: {},
  at: 1_767_225_600_000,
};

describe("a Kling credential", () => {
  test("of two halves makes the published token", async () => {
    const pair = "ak-test|sk-test-secret-0123456789abcdef";

    expect(await kling.authorize(pair, ASKED)).toEqual({
      authorization:
        "Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9." +
        "eyJpc3MiOiJhay10ZXN0IiwiZXhwIjoxNzY3MjI3NDAwLCJuYmYiOjE3NjcyMjU1OTV9." +
        "igmdxi5Hyp5FmvTwCcAIq6WqGtciPgqXwk0szYJBEWg",
    });
  });

  test("makes a new token later, so that none expires", async () => {
    const later = { ...ASKED, at: ASKED.at + 25 * 60_000 };

    expect(await kling.authorize("a|b", later)).not.toEqual(await kling.authorize("a|b", ASKED));
  });

  test("may contain the vendor's webhook secret, which is not sent", async () => {
    const { webhooks } = rowFor("kling", question("kling-3.0"));
    const plain = await kling.authorize("ak|sk", ASKED);
    const json = (more: object) => JSON.stringify({ webhook_secret: "whsec_c2VjcmV0", ...more });
    const secrets = [
      ["a-key|whsec_c2VjcmV0", { authorization: "Bearer a-key" }],
      ["ak|sk|whsec_c2VjcmV0", plain],
      [json({ api_key: "a-key" }), { authorization: "Bearer a-key" }],
      [json({ access_key: "ak", secret_key: "sk" }), plain],
    ] as const;

    for (const [secret, headers] of secrets) {
      expect(webhooks?.secretIn?.(secret)).toBe("whsec_c2VjcmV0");
      expect(await kling.authorize(secret, ASKED)).toEqual(headers);
    }
    for (const secret of ["a-key", "ak|sk", "{", "{}"]) {
      expect(webhooks?.secretIn?.(secret)).toBeUndefined();
    }
    expect(() => kling.authorize("{}", ASKED)).toThrow("malformed");
  });

  test("that is a key is sent unchanged", () => {
    expect(kling.authorize("a-key", ASKED)).toEqual({ authorization: "Bearer a-key" });
  });
});

describe("[B4.6-a] a request in the first style", () => {
  test("has every supported field", () => {
    const sent = requestOf(
      "kling",
      "kling-v1-6",
      {
        negativePrompt: "fog",
        guidance: 0.5,
        mode: "pro",
        ratio: "9:16",
        seconds: 10,
        watermark: true,
        camera: { type: "simple", config: { zoom: -10, pan: 0 } },
        externalId: "the caller's own",
        extra: {
          "video-kling": { callback_url: "u", external_task_id: "order-7", new_field: [1] },
        },
      },
      CALLBACK,
    );

    expect(sent).toEqual({
      path: "/v1/videos/text2video",
      lost: [],
      body: {
        new_field: [1],
        model_name: "kling-v1-6",
        prompt: "a lake",
        negative_prompt: "fog",
        cfg_scale: 0.5,
        mode: "pro",
        camera_control: { type: "simple", config: { zoom: -10, pan: 0 } },
        aspect_ratio: "9:16",
        duration: "10",
        watermark_info: { enabled: true },
        callback_url: CALLBACK,
        external_task_id: OUR_ID,
      },
    });
  });

  test("has the documented mode and length, and no other defaults", () => {
    expect(requestOf("kling", "kling-v1").body).toEqual({
      model_name: "kling-v1",
      prompt: "a lake",
      mode: "std",
      duration: "5",
      external_task_id: OUR_ID,
    });
  });

  test("has frames as links or plain base64, at a separate address", () => {
    const { path, body, lost } = requestOf("kling", "kling-v2-1", {
      scenario: "first_last",
      media: [held("first_frame", "Zmlyc3Q="), LAST],
      ratio: "16:9",
      prompt: "",
    });

    expect(path).toBe("/v1/videos/image2video");
    expect(body).toMatchObject({ image: "Zmlyc3Q=", image_tail: "https://a.test/2.png" });
    expect(body).not.toHaveProperty("aspect_ratio");
    expect(lost).toEqual(["ratio"]);
  });

  test("has a mode for each resolution", () => {
    expect(requestOf("kling", "kling-v1", { resolution: "720p" }).body["mode"]).toBe("std");
    expect(requestOf("kling", "kling-v1", { size: "1080x1920" }).body).toMatchObject({
      mode: "pro",
      aspect_ratio: "9:16",
    });
  });

  test.each([
    ["kling-v1", ["5", "10"], [3, 6, 11]],
    ["kling-v1-5", ["5", "10"], [4]],
    ["kling-v1-6", ["5", "10"], [4]],
    ["kling-v2-master", ["5", "10"], [4]],
    ["kling-v2-1", ["5", "10"], [4]],
    ["kling-v2-1-master", ["5", "10"], [4]],
    ["kling-v2-5-turbo", ["5", "10"], [4]],
    ["kling-v2-6", ["5", "10"], [15]],
    ["kling-v3", ["3", "15"], [2, 16]],
    ["kling-v3-omni", ["3", "15"], [2, 16]],
    ["kling-video-o1", ["3", "10"], [2, 11]],
    ["kling-v9", ["1", "99"], [0]],
  ] as const)("to %s may have these lengths, as text", (model, taken, refused) => {
    for (const text of taken) {
      expect(requestOf("kling", model, { seconds: Number(text) }).body["duration"]).toBe(text);
    }
    for (const seconds of refused) {
      expect(refusalOf("kling", model, { seconds })).toStartWith("invalid_request | duration |");
    }
  });

  test.each([
    ["kling-v1", ["audio"]],
    ["kling-v1-6", ["audio"]],
    ["kling-v2-master", ["audio", "cfg_scale", "camera_control"]],
    ["kling-v2-1-master", ["audio", "cfg_scale", "camera_control"]],
    ["kling-v2-5-turbo", ["negative_prompt", "audio", "cfg_scale", "camera_control"]],
    ["kling-v2-6", ["negative_prompt", "cfg_scale", "camera_control"]],
    ["kling-v3", ["negative_prompt", "cfg_scale", "camera_control"]],
    ["kling-v3-omni", ["negative_prompt", "cfg_scale", "camera_control"]],
  ])("to %s cannot have these options, and reports them", (model, lost) => {
    const wishes = {
      negativePrompt: "fog",
      guidance: 1,
      mode: "pro",
      audio: true,
      camera: { type: "down_back" },
    };
    const sent = requestOf("kling", model, wishes);

    expect(sent.lost.toSorted()).toEqual([...lost].toSorted());
    for (const name of lost) expect(sent.body).not.toHaveProperty(name);
    expect(sent.body["sound"]).toBe(lost.includes("audio") ? undefined : ("on" as string));
  });

  test("keeps an explicit false of sound", () => {
    expect(requestOf("kling", "kling-v2-6", { audio: false }).body["sound"]).toBe("off");
    expect(requestOf("kling", "kling-v1", { audio: false }).lost).toEqual([]);
  });

  test.each([
    ["kling-v1", { prompt: "" }, "prompt"],
    ["kling-v1", { prompt: "x".repeat(2_501) }, "prompt"],
    ["kling-v1", { negativePrompt: "x".repeat(2_501) }, "prompt"],
    ["kling-v1", { mode: "best" }, "mode"],
    ["kling-v1", { mode: "std", resolution: "1080p" }, "mode"],
    ["kling-v1", { resolution: "4k" }, "resolution"],
    ["kling-v1", { ratio: "4:3" }, "ratio"],
    ["kling-v1", { ratio: "adaptive" }, "ratio"],
    ["kling-v1", { count: 2 }, "n"],
    ["kling-v2-6", { audio: true }, "mode"],
    ["kling-v2-6", { audio: true, mode: "std" }, "mode"],
    ["kling-v1", { camera: { type: "spin" } }, "camera_control.type"],
    ["kling-v1", { camera: { type: "simple" } }, "camera_control.config"],
    [
      "kling-v1",
      { camera: { type: "simple", config: { pan: 1, zoom: 1 } } },
      "camera_control.config",
    ],
    ["kling-v1", { camera: { type: "simple", config: { pan: 11 } } }, "camera_control.config.pan"],
    ["kling-v1", { camera: { type: "simple", config: { pan: "1" } } }, "camera_control.config.pan"],
    ["kling-v1", { scenario: "reference", media: [LOOK] }, "image"],
    ["kling-v1", { scenario: "omni", media: [CLIP] }, "video"],
    ["kling-v1", { scenario: "first_last", media: [LAST] }, "image"],
    [
      "kling-v1",
      { scenario: "first_last", media: [FIRST, LAST], camera: { type: "down_back" } },
      "image",
    ],
    [
      "kling-v1",
      {
        scenario: "first_last",
        media: [FIRST, LAST],
        extra: { "video-kling": { static_mask: "https://a.test/m.png" } },
      },
      "image",
    ],
    ["kling-v3-omni", { scenario: "omni", media: [CLIP, CLIP] }, "video"],
    ["kling-v3-omni", { scenario: "omni", media: [CLIP], audio: true }, "audio"],
    ["kling-v3-omni", { scenario: "omni", media: [SOUND] }, "audio"],
  ])("to %s that the vendor would refuse is refused by the gateway: %j", (model, said, param) => {
    const asked = said as Parameters<typeof refusalOf>[2];

    expect(refusalOf("kling", model, asked)).toStartWith(`invalid_request | ${param} |`);
  });

  test("[B4.6-c] with all kinds of media goes to one address, and numbers the media as in the prompt", () => {
    const frame = linked("first_frame", "https://a.test/1.png", { tag: "start" });
    const clip = linked("base", "https://a.test/b.mp4", { type: "video", tag: "clip" });
    const { path, body } = requestOf("kling", "kling-video-o1", {
      scenario: "omni",
      prompt: "@start then @clip, not @nobody",
      media: [frame, LAST, LOOK, clip],
      ratio: "1:1",
    });

    expect(path).toBe("/v1/videos/omni-video");
    expect(body).toEqual({
      model_name: "kling-video-o1",
      prompt: "<<<image_1>>> then <<<video_1>>>, not @nobody",
      mode: "std",
      aspect_ratio: "1:1",
      external_task_id: OUR_ID,
      image_list: [
        { image_url: "https://a.test/1.png", type: "first_frame" },
        { image_url: "https://a.test/2.png", type: "end_frame" },
        { image_url: "https://a.test/r.png" },
      ],
      video_list: [{ video_url: "https://a.test/b.mp4", refer_type: "base" }],
    });
  });

  test("is polled at its own address, by the vendor's id or by the gateway's", () => {
    const { poll, find, webhooks } = rowFor("kling", question("kling-v1"));
    const framed = task("kling-v1", { scenario: "first_frame" });

    expect(poll.path(task("kling-v1"))).toBe("/v1/videos/text2video/77");
    expect(poll.path(framed)).toBe("/v1/videos/image2video/77");
    expect(find?.path(framed)).toBe(`/v1/videos/image2video/${OUR_ID}`);
    expect(rowFor("kling", question("kling-v3-omni")).poll.path(task("kling-v3-omni"))).toBe(
      "/v1/videos/omni-video/77",
    );
    expect(webhooks?.idIn({ task_id: "77", task_status: "succeed" })).toBe("77");
  });
});

describe("[B4.6-b] a request in the newer style", () => {
  test("has its model in the path, and only the prompt in the body", () => {
    const extra = {
      "video-kling3": {
        new_field: 1,
        settings: { multi_shot: false, tomorrow: "x" },
        options: { callback_url: "u", external_task_id: "order-7", other: true },
      },
    };
    const said = { seconds: 5, resolution: "4k", ratio: "9:16", audio: false, watermark: false };

    expect(requestOf("kling", "kling-3.0", { ...said, extra }, CALLBACK)).toEqual({
      path: "/text-to-video/kling-3.0",
      lost: [],
      body: {
        new_field: 1,
        prompt: "a lake",
        settings: {
          tomorrow: "x",
          resolution: "4k",
          aspect_ratio: "9:16",
          duration: 5,
          audio: "off",
          multi_shot: false,
        },
        options: {
          other: true,
          callback_url: CALLBACK,
          watermark_info: { enabled: false },
          external_task_id: OUR_ID,
        },
      },
    });
  });

  test("has the documented resolution and length, and no other defaults", () => {
    expect(requestOf("kling", "kling-2.5-turbo").body).toEqual({
      prompt: "a lake",
      settings: { resolution: "720p", duration: 5 },
      options: { external_task_id: OUR_ID },
    });
  });

  test("has frames in a list", () => {
    const { path, body, lost } = requestOf("kling", "kling-3.0", {
      scenario: "first_last",
      media: [held("first_frame", "Zmlyc3Q="), LAST],
      ratio: "16:9",
    });

    expect(path).toBe("/image-to-video/kling-3.0");
    expect(body["contents"]).toEqual([
      { type: "prompt", text: "a lake" },
      { type: "first_frame", url: "Zmlyc3Q=" },
      { type: "last_frame", url: "https://a.test/2.png" },
    ]);
    expect(body["settings"]).not.toHaveProperty("aspect_ratio");
    expect(lost).toEqual(["ratio"]);
  });

  test("[B4.6-c] with all kinds of media names each as in the prompt", () => {
    const element = { type: "element", element_id: "e-1", id: "hero" };
    const { path, body } = requestOf("kling", "kling-3.0-omni", {
      scenario: "omni",
      media: [
        { ...LOOK, tag: "hat" },
        { ...CLIP, tag: "walk" },
      ],
      extra: { "video-kling3": { contents: [element] } },
    });

    expect(path).toBe("/omni-video/kling-3.0-omni");
    expect(body).toEqual({
      contents: [
        { type: "prompt", text: "a lake" },
        { type: "refer_image", url: "https://a.test/r.png", id: "hat" },
        { type: "feature_video", url: "https://a.test/c.mp4", id: "walk" },
        element,
      ],
      settings: { resolution: "720p", duration: 5, audio: "off", multi_shot: true },
      options: { external_task_id: OUR_ID },
    });
  });

  test("for an edit has neither length nor shots, and may keep the sound", () => {
    const { body, lost } = requestOf("kling", "kling-o1", {
      scenario: "omni",
      media: [BASE],
      seconds: 5,
      extra: { "video-kling3": { settings: { audio: "original" } } },
    });

    expect(body["contents"]).toEqual([
      { type: "prompt", text: "a lake" },
      { type: "base_video", url: "https://a.test/b.mp4" },
    ]);
    expect(body["settings"]).toEqual({ resolution: "720p", audio: "original" });
    expect(lost).toEqual(["duration"]);
  });

  test("with all kinds of media has a ratio if none of the media has one", () => {
    const settings = (media: readonly (typeof LOOK)[], scenario: "text" | "omni") =>
      requestOf("kling", "kling-o1", { scenario, media }).body["settings"];

    expect(settings([], "text")).toHaveProperty("aspect_ratio", "16:9");
    expect(settings([LOOK], "omni")).toHaveProperty("aspect_ratio", "16:9");
    expect(settings([FIRST], "omni")).not.toHaveProperty("aspect_ratio");
  });

  test.each([
    ["kling-3.0-turbo", [3, 15], [2, 16]],
    ["kling-3.0", [3, 15], [2, 16]],
    ["kling-3.0-omni", [3, 15], [2, 16]],
    ["kling-2.6", [5, 10], [7]],
    ["kling-2.5-turbo", [5, 10], [3]],
    ["kling-o1", [3, 10], [2, 11]],
    ["kling-9.0", [1, 99], [0]],
  ] as const)("to %s may have these lengths", (model, taken, refused) => {
    for (const seconds of taken) {
      expect(requestOf("kling", model, { seconds }).body["settings"]).toHaveProperty(
        "duration",
        seconds,
      );
    }
    for (const seconds of refused) {
      expect(refusalOf("kling", model, { seconds })).toStartWith("invalid_request | duration |");
    }
  });

  test.each([
    ["kling-3.0-turbo", ["720p", "1080p"], "4k"],
    ["kling-3.0", ["720p", "1080p", "4k"], "480p"],
    ["kling-3.0-omni", ["720p", "1080p", "4k"], "2k"],
    ["kling-2.6", ["720p", "1080p"], "4k"],
    ["kling-2.5-turbo", ["720p", "1080p"], "4k"],
    ["kling-o1", ["720p", "1080p"], "4k"],
  ])("to %s may have these resolutions", (model, taken, refused) => {
    for (const resolution of taken) {
      expect(requestOf("kling", model, { resolution }).body["settings"]).toHaveProperty(
        "resolution",
        resolution,
      );
    }
    expect(refusalOf("kling", model, { resolution: refused })).toContain("'resolution' must be");
  });

  test.each([
    ["kling-3.0", true, { audio: "native" }, []],
    ["kling-3.0-omni", true, { aspect_ratio: "16:9", audio: "native" }, []],
    ["kling-2.6", false, { audio: "off" }, []],
    ["kling-3.0-turbo", true, {}, ["audio"]],
    ["kling-2.5-turbo", false, {}, []],
    ["kling-o1", true, { aspect_ratio: "16:9" }, ["audio"]],
    ["kling-o1", false, { aspect_ratio: "16:9", audio: "off" }, []],
  ])("to %s with sound %p has %j", (model, audio, settings, lost) => {
    const sent = requestOf("kling", model, { audio });

    expect<unknown>(sent.body["settings"]).toEqual({
      resolution: "720p",
      duration: 5,
      ...settings,
    });
    expect(sent.lost).toEqual(lost);
  });

  test("has the sound option if the resolution supports it", () => {
    const { body } = requestOf("kling", "kling-2.6", { audio: true, resolution: "1080p" });

    expect(body["settings"]).toEqual({
      resolution: "1080p",
      duration: 5,
      audio: "native",
    });
  });

  const shots = (value: boolean) => ({ "video-kling3": { settings: { multi_shot: value } } });
  const elements = (count: number) => ({
    "video-kling3": { contents: Array(count).fill({ type: "element", element_id: "e" }) },
  });

  test.each([
    ["kling-3.0", { prompt: "" }, "prompt"],
    ["kling-3.0", { prompt: "x".repeat(3_073) }, "prompt"],
    ["kling-3.0", { ratio: "4:3" }, "ratio"],
    ["kling-3.0", { count: 2 }, "n"],
    ["kling-3.0", { scenario: "first_last", media: [LAST] }, "image"],
    ["kling-3.0-turbo", { scenario: "first_last", media: [FIRST, LAST] }, "image"],
    ["kling-3.0", { scenario: "reference", media: [LOOK] }, "image"],
    ["kling-3.0", { scenario: "omni", media: [CLIP] }, "video"],
    ["kling-2.6", { audio: true, resolution: "720p" }, "resolution"],
    ["kling-2.6", { audio: true }, "resolution"],
    ["kling-o1", { scenario: "omni", media: [FIRST, LOOK] }, "image"],
    ["kling-o1", { scenario: "first_frame", media: [FIRST], seconds: 4 }, "duration"],
    ["kling-3.0-omni", { scenario: "omni", media: [CLIP, BASE] }, "video"],
    ["kling-3.0-omni", { scenario: "omni", media: [CLIP], audio: true }, "audio"],
    ["kling-3.0-omni", { scenario: "omni", media: [BASE], audio: true }, "audio"],
    ["kling-3.0-omni", { scenario: "omni", media: [CLIP], extra: shots(false) }, "multi_shot"],
    ["kling-3.0-omni", { scenario: "omni", media: [BASE], extra: shots(true) }, "multi_shot"],
    ["kling-3.0-omni", { scenario: "omni", media: [FIRST, LAST, CLIP] }, "image"],
    ["kling-3.0-omni", { scenario: "omni", media: [FIRST, BASE] }, "image"],
    ["kling-3.0-omni", { scenario: "omni", media: Array(8).fill(LOOK) }, "image"],
    ["kling-3.0-omni", { scenario: "omni", media: [CLIP, ...Array(5).fill(LOOK)] }, "image"],
    [
      "kling-3.0-omni",
      { scenario: "omni", media: Array(5).fill(LOOK), extra: elements(3) },
      "image",
    ],
    ["kling-3.0-omni", { scenario: "omni", media: [FIRST], extra: elements(4) }, "contents"],
    ["kling-3.0-omni", { scenario: "omni", media: [SOUND] }, "audio"],
  ])("to %s that the vendor would refuse is refused by the gateway: %j", (model, said, param) => {
    const asked = said as Parameters<typeof refusalOf>[2];

    expect(refusalOf("kling", model, asked)).toStartWith(`invalid_request | ${param} |`);
  });

  test.each([
    [Array(7).fill(LOOK), {}],
    [[CLIP, ...Array(4).fill(LOOK)], {}],
    [Array(4).fill(LOOK), elements(3)],
  ])("[B4.6-c] may have the vendor's maximum of media", (media, extra) => {
    expect(
      refusalOf("kling", "kling-3.0-omni", { scenario: "omni", media, extra }),
    ).toBeUndefined();
  });

  test("cannot have a video without a link", () => {
    const source = { kind: "base64", base64: "aGk=", mediaType: "video/mp4" } as const;
    const media = [{ type: "video", role: "reference", source }] as const;

    expect(refusalOf("kling", "kling-3.0-omni", { scenario: "omni", media })).toStartWith(
      "invalid_request | video | 'video' must be a link",
    );
  });

  test("may name a voice stored at the vendor", () => {
    const source = { kind: "reference", id: "v-1" } as const;
    const media = [FIRST, { type: "audio", role: "voice", source, tag: "her" }] as const;
    const { body } = requestOf("kling", "kling-2.6", { scenario: "first_frame", media });

    expect(body["contents"]).toContainEqual({ type: "voice", voice_id: "v-1", id: "her" });
  });

  test("reports shots that a model does not support, and a media list with text only", () => {
    const extra = {
      "video-kling3": { settings: { multi_shot: true }, contents: [{ type: "element" }] },
    };

    expect(requestOf("kling", "kling-3.0-turbo", { extra }).lost.toSorted()).toEqual([
      "contents",
      "multi_shot",
    ]);
  });

  test("is polled by the vendor's id or by the gateway's, and found by its webhook", () => {
    const { poll, find, webhooks, cancel } = rowFor("kling", question("kling-3.0"));

    expect(poll.path(task("kling-3.0"))).toBe("/tasks?task_ids=77");
    expect(poll.path(task("kling-3.0", { upstreamId: "a,b" }))).toBe("/tasks?task_ids=a%2Cb");
    expect(find?.path(task("kling-3.0"))).toBe(`/tasks?external_task_ids=${OUR_ID}`);
    expect(webhooks?.idIn({ id: "1234567890", status: "succeeded" })).toBe("1234567890");
    expect(cancel).toBeUndefined();
  });
});
