import { describe, expect, test } from "bun:test";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { Form, type FormPart } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { aTask, CREATED_AT, LINKS, STATUSES } from "#test/a-task.ts";
import { unifiedVideos } from "./index.ts";

const { inbound } = unifiedVideos;
const LINK = "https://pictures.example/a.png";
const OTHER = "https://pictures.example/b.png";
const THIRD = "https://pictures.example/c.png";

const read = (body: JsonObject) => inbound.read({ model: "m", ...body }, {});
const readForm = (...parts: readonly FormPart[]) =>
  inbound.readForm?.(new Form([{ name: "model", value: "m" }, ...parts]), {});
const rolesIn = (body: JsonObject) => read(body).media.map(({ type, role }) => `${type} ${role}`);

describe("[B4.1-a] the fields common to all families", () => {
  test("are read", () => {
    expect(
      read({ prompt: "a fox", image: LINK, size: "1280*720", duration: 5, seconds: "5" }),
    ).toEqual({
      model: "m",
      scenario: "first_frame",
      prompt: "a fox",
      media: [{ type: "image", role: "first_frame", source: { kind: "url", url: LINK } }],
      size: "1280*720",
      seconds: 5,
    });
  });

  test("may be in the metadata, where top-level fields take precedence", () => {
    const { negativePrompt, seed, resolution, externalId } = read({
      prompt: "a fox",
      seed: 7,
      metadata: {
        negative_prompt: "dogs",
        seed: 8,
        resolution: "1080P",
        external_task_id: "order-7",
      },
    });

    expect({ negativePrompt, seed, resolution, externalId }).toEqual({
      negativePrompt: "dogs",
      seed: 7,
      resolution: "1080p",
      externalId: "order-7",
    });
  });

  test("never name another model in the metadata", () => {
    const question = read({ prompt: "a fox", metadata: { model: "dearer", style: "noir" } });

    expect(question.model).toBe("m");
    expect(question.extra).toEqual({ "video-unified": { style: "noir" } });
  });

  test("may be empty or null, as some clients send them", () => {
    expect(
      read({ prompt: "a fox", image: "", images: [""], size: "", seconds: "", metadata: null }),
    ).toEqual({ model: "m", scenario: "text", prompt: "a fox", media: [] });
  });

  test("keep an explicit false", () => {
    const { audio, rewrite, watermark } = read({
      generate_audio: false,
      prompt_extend: false,
      watermark: false,
    });

    expect([audio, rewrite, watermark]).toEqual([false, false, false]);
  });

  test.each<JsonObject>([
    { model: "" },
    { model: 7 },
    { prompt: 7 },
    { duration: 0 },
    { duration: 2.5 },
    { duration: 3_601 },
    { duration: "soon" },
    { seconds: "4.5" },
    { seconds: 4, duration: 8 },
    { image: 7 },
    { image: {} },
    { images: [LINK, 7] },
    { images: Array.from({ length: 40 }, (_, at) => `${LINK}?${at}`) },
    { image: "data:image/png,raw" },
    { metadata: "text" },
    { metadata: { seed: "x" } },
    { metadata: { content: [7] } },
    { callback_url: "javascript:alert(1)" },
    { callback_url: `https://caller.example/${"x".repeat(2_100)}` },
    { generate_audio: "false" },
    { n: 0 },
    { n: 17 },
  ])("%j are refused", (body) => {
    expect(() => read(body)).toThrow(GatewayError);
    try {
      read(body);
    } catch (cause) {
      expect(GatewayError.from(cause).code).toBe("invalid_request");
    }
  });
});

describe("[B4.1-a] images", () => {
  test.each<[JsonObject, readonly string[]]>([
    [{ images: [LINK] }, ["image first_frame"]],
    [{ images: [LINK, OTHER] }, ["image first_frame", "image last_frame"]],
    [{ image: LINK, images: [LINK, OTHER] }, ["image first_frame", "image last_frame"]],
    [{ images: [LINK, LINK] }, ["image first_frame", "image last_frame"]],
    [{ image: LINK, images: [LINK, LINK] }, ["image first_frame", "image last_frame"]],
    [{ image: LINK, images: [LINK] }, ["image first_frame"]],
    [{ images: [LINK, OTHER, THIRD] }, ["image reference", "image reference", "image reference"]],
    [{ image: LINK, last_frame: OTHER }, ["image first_frame", "image last_frame"]],
    [{ first_frame: LINK, lastFrame: OTHER }, ["image first_frame", "image last_frame"]],
    [{ image: LINK, metadata: { image_tail: OTHER } }, ["image first_frame", "image last_frame"]],
    [{ reference_images: [LINK] }, ["image reference"]],
    [{ images: [LINK], metadata: { action: "reference" } }, ["image reference"]],
    [
      { images: [LINK, OTHER], metadata: { action: "first_tail" } },
      ["image first_frame", "image last_frame"],
    ],
    [{ images: [LINK], metadata: { action: "generate" } }, ["image first_frame"]],
    [{ input_reference: { image_url: LINK } }, ["image first_frame"]],
    [{ image: LINK, audio_url: OTHER }, ["image first_frame", "audio voice"]],
    [{ video: LINK }, ["video base"]],
  ])("of %j have the purpose of their number or name", (body, roles) => {
    expect(rolesIn(body)).toEqual([...roles]);
  });

  test.each<JsonObject>([
    { images: [LINK], action: "text" },
    { images: [LINK], action: "first_tail" },
    { images: [LINK, OTHER], action: "generate" },
    { images: [LINK, OTHER, THIRD], action: "first_tail" },
    { action: "dance" },
  ])("of %j do not match their purpose", (body) => {
    expect(() => read(body)).toThrow(GatewayError);
  });

  test("may be links, data URIs, base64, assets or files of the vendor", () => {
    const sources = read({
      reference_images: [
        LINK,
        "data:image/png;base64,AAAA",
        "AAAA",
        "asset://asset-1",
        { file_id: "file-1" },
        { bytesBase64Encoded: "BBBB", mimeType: "image/jpeg" },
      ],
    }).media.map(({ source }) => source);

    expect(sources).toEqual([
      { kind: "url", url: LINK },
      { kind: "base64", base64: "AAAA", mediaType: "image/png" },
      { kind: "base64", base64: "AAAA", mediaType: "" },
      { kind: "asset", id: "asset-1" },
      { kind: "reference", id: "file-1" },
      { kind: "base64", base64: "BBBB", mediaType: "image/jpeg" },
    ]);
  });
});

describe("fields of some families", () => {
  test("[B4.1-f2] ratio, resolution, sound, last frame, seed, number and people", () => {
    const { media: _, ...question } = read({
      prompt: "a fox",
      duration: 8,
      aspectRatio: "9:16",
      resolution: "1080p",
      generateAudio: true,
      seed: 7,
      numberOfVideos: 2,
      personGeneration: "allow_adult",
      addWatermark: false,
      fps: 24,
    });

    expect(question).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      seconds: 8,
      ratio: "9:16",
      resolution: "1080p",
      audio: true,
      seed: 7,
      count: 2,
      people: "allow_adult",
      watermark: false,
      framesPerSecond: 24,
    });
  });

  test.each(["prompt_extend", "smart_prompt", "smartPrompt", "enhancePrompt"])(
    "[B4.1-f3] a prompt rewriting option, as %s, at the top and in the metadata",
    (name) => {
      expect(read({ [name]: true }).rewrite).toBe(true);
      expect(read({ metadata: { [name]: false } }).rewrite).toBe(false);
    },
  );

  test("[B4.1-f4] text and media in one list, with options in the text", () => {
    const text = "a fox runs --ratio 16:9 --dur 10 --rs 1080p --wm true";

    const question = read({
      metadata: {
        content: [
          { type: "text", text },
          { type: "image_url", image_url: { url: LINK }, role: "first_frame" },
          { type: "image_url", image_url: { url: OTHER }, role: "last_frame" },
        ],
        return_last_frame: true,
        callback_url: "https://caller.example/done",
      },
    });

    expect(question).toEqual({
      model: "m",
      scenario: "first_last",
      wordsIn: "content",
      prompt: text,
      media: [
        { type: "image", role: "first_frame", source: { kind: "url", url: LINK } },
        { type: "image", role: "last_frame", source: { kind: "url", url: OTHER } },
      ],
      ratio: "16:9",
      seconds: 10,
      resolution: "1080p",
      watermark: true,
      lastFrame: true,
      callbackUrl: "https://caller.example/done",
    });
  });

  test("[B4.1-f4] fields take precedence over options in the text", () => {
    const content = [{ type: "text", text: "a fox --dur 10" }];

    expect(read({ duration: 5, metadata: { content } }).seconds).toBe(5);
  });
});

describe("[B4.1-f1] a form", () => {
  test("has the same fields, with an image in it", () => {
    const bytes = new Uint8Array([1, 2, 3]);

    const question = readForm(
      { name: "prompt", value: "a fox" },
      { name: "seconds", value: "8" },
      { name: "generate_audio", value: "false" },
      { name: "seed", value: "7" },
      { name: "metadata", value: '{"negative_prompt":"dogs"}' },
      { name: "input_reference", filename: "a.png", mediaType: "image/png", bytes },
    );

    expect(question).toEqual({
      model: "m",
      scenario: "first_frame",
      prompt: "a fox",
      seconds: 8,
      audio: false,
      seed: 7,
      negativePrompt: "dogs",
      media: [
        {
          type: "image",
          role: "first_frame",
          source: { kind: "bytes", bytes, mediaType: "image/png" },
        },
      ],
    });
  });

  test("may name its images in every way that clients use", () => {
    const urls = [
      readForm({ name: "input_reference", value: LINK }),
      readForm({ name: "input_reference", value: JSON.stringify({ image_url: LINK }) }),
      readForm({ name: "input_reference[image_url]", value: LINK }),
      readForm({ name: "images", value: JSON.stringify([LINK]) }),
      readForm({ name: "image", value: LINK }),
    ].map((question) => question?.media.map(({ source }) => source));

    expect(urls).toEqual(Array.from(urls, () => [{ kind: "url", url: LINK }]));
    const two = readForm({ name: "images[]", value: LINK }, { name: "images[]", value: OTHER });
    expect(two?.scenario).toBe("first_last");
  });

  test.each<readonly FormPart[]>([
    [{ name: "seconds", value: "soon" }],
    [{ name: "seed", value: "" }],
    [{ name: "seed", value: "1e999" }],
    [{ name: "generate_audio", value: "perhaps" }],
    [{ name: "metadata", value: "{broken" }],
    [
      { name: "prompt", value: "a" },
      { name: "prompt", value: "b" },
    ],
    [{ name: "mask", filename: "m.png", mediaType: "image/png", bytes: new Uint8Array() }],
  ])("of %j is refused", (...parts) => {
    expect(() => readForm(...parts)).toThrow(GatewayError);
  });

  test("cannot set fields of the object's prototype", () => {
    const question = readForm(
      { name: "__proto__", value: '{"model":"dearer"}' },
      { name: "__proto__[model]", value: "dearer" },
      { name: "prompt", value: "a fox" },
    );

    expect(question).toMatchObject({ model: "m", prompt: "a fox" });
    expect(Object.hasOwn(Object.prototype, "model")).toBe(false);
  });
});

describe("a task is written", () => {
  test("[B3.1] in the protocol's words, in every state", () => {
    const words = STATUSES.map((status) => inbound.writeTask(aTask({ status }), LINKS)["status"]);

    expect(words).toEqual(["queued", "queued", "queued", "in_progress", "succeeded", "failed"]);
    expect(inbound.writeSubmitted(aTask())).toEqual({
      task_id: "task_1",
      status: "queued",
      format: "mp4",
    });
  });

  test("[B2.1] with its video, and its known properties", () => {
    const done = aTask({
      status: "succeeded",
      progress: 100,
      facts: { scenario: "text", resolution: "720p", ratio: "16:9", seed: 7 },
      finishedAt: CREATED_AT + 9_000,
    });
    const videos = [
      {
        url: "https://cdn.example/v.mov",
        mediaType: "video/quicktime",
        coverUrl: "https://cdn.example/c.png",
        seconds: 5,
      },
    ];

    expect(inbound.writeTask(done, { ...LINKS, videos })).toEqual({
      task_id: "task_1",
      model: "a-model",
      status: "succeeded",
      format: "mov",
      progress: 100,
      created_at: 1_767_268_800,
      finished_at: 1_767_268_809,
      url: "https://cdn.example/v.mov",
      cover_url: "https://cdn.example/c.png",
      metadata: { duration: 5, resolution: "720p", ratio: "16:9", seed: 7 },
    });
  });

  test("with all its videos, if there are several", () => {
    const videos = [{ url: "https://cdn.example/1.mp4" }, { url: "https://cdn.example/2.mp4" }];

    expect(inbound.writeTask(aTask({ status: "succeeded" }), { ...LINKS, videos })).toMatchObject({
      url: "https://cdn.example/1.mp4",
      videos,
    });
  });

  test.each([
    ["content_filtered", 400],
    ["task_cancelled", 499],
    ["task_expired", 504],
    ["task_timeout", 504],
    ["WhateverItSays", 500],
  ])("[B7] with its reason if it failed: %s is %d", (code, number) => {
    const task = aTask({ status: "failed", failure: { code, message: "No." } });

    expect(inbound.writeTask(task, LINKS)).toMatchObject({
      status: "failed",
      error: { code: number, message: "No." },
      fail_reason: "No.",
    });
    expect(inbound.writeTask(task, LINKS)).not.toHaveProperty("url");
  });
});

test("codes of failed requests are numbers, with a message about the invalid field", () => {
  for (const code of Object.keys(FAULTS) as FaultCode[]) {
    expect(inbound.buildError(new GatewayError(code, "m", { param: "size" }))).toEqual({
      error: {
        code: FAULTS[code].status,
        message: "m",
        type: expect.any(String),
        param: "size",
      },
    });
  }
});
