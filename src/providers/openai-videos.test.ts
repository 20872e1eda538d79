import { describe, expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import type { VideoRequest } from "#core/video.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { disagreement } from "#test/json-schema.ts";
import { openApiSchemas, withShared } from "#test/shared.ts";
import {
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

const SORA = "sora-2";
const PRO = "sora-2-pro-2025-10-06";
const REMIX = {
  scenario: "remix",
  source: { id: "task_1", upstreamId: "video_68/.." },
} as const;

const sent = (said: Partial<VideoRequest> = {}, model = SORA) =>
  requestOf("openai", model, said).body;
const refused = (said: Partial<VideoRequest>, model = SORA) => refusalOf("openai", model, said);

/** The parts of a form, files by what they are. */
function formOf(provider: string, said: Partial<VideoRequest>, model = SORA): JsonObject {
  const asked = question(model, said);
  const { style, dialect } = rowFor(provider, asked);
  const body = style.outbound.build(asked, {
    report: new LossReport(),
    model: {},
    externalId: OUR_ID,
    ...(dialect && { dialect }),
  });
  if (!(body instanceof Form)) throw new Error("JSON, where a form was expected.");
  return Object.fromEntries(
    body.parts.map((part) => [
      part.name,
      "value" in part
        ? part.value
        : {
            file: part.filename,
            type: part.mediaType,
            bytes: "bytes" in part && Buffer.from(part.bytes).toString(),
          },
    ]),
  );
}

describe("a video request", () => {
  test("[B4.7] is a model and a prompt, with the documented length and size by default", () => {
    expect(requestOf("openai", SORA)).toEqual({
      path: "/videos",
      body: { model: SORA, prompt: "a lake", seconds: "4", size: "720x1280" },
      lost: [],
    });
    expect(sent({ seconds: 8, size: "1280x720" })).toEqual({
      model: SORA,
      prompt: "a lake",
      seconds: "8",
      size: "1280x720",
    });
  });

  test("[B4.7] has a default prompt, since the vendor requires one", () => {
    expect(sent({ prompt: "" })["prompt"]).toBe("A short video.");
    expect(refused({ prompt: "x".repeat(32_001) })).toStartWith("invalid_request | prompt");
    expect(sent({ prompt: "x".repeat(32_000) })["prompt"]).toHaveLength(32_000);
  });

  test("[B4.1-f1] has 4, 8 or 12 seconds", () => {
    for (const seconds of [4, 8, 12]) expect(sent({ seconds })["seconds"]).toBe(`${seconds}`);
    for (const seconds of [5, 0, -1, 4.5, 16]) {
      expect(refused({ seconds })).toStartWith("invalid_request | duration");
    }
    expect(refused({ frames: 96 })).toStartWith("invalid_request | frames");
  });

  test.each<[string, Partial<VideoRequest>, string | undefined]>([
    [SORA, { size: "720x1280" }, "720x1280"],
    [SORA, { size: "1280*720" }, "1280x720"],
    [SORA, { size: "1024x1792" }, undefined],
    [SORA, { ratio: "16:9" }, "1280x720"],
    [SORA, { ratio: "9:16", resolution: "720p" }, "720x1280"],
    [SORA, { resolution: "720p" }, "720x1280"],
    [SORA, { resolution: "1080p" }, undefined],
    [SORA, { ratio: "1:1" }, undefined],
    [SORA, { ratio: "wide" }, undefined],
    [SORA, { resolution: "huge" }, undefined],
    [PRO, { size: "1792x1024" }, "1792x1024"],
    [PRO, { resolution: "1080p", ratio: "16:9" }, "1920x1080"],
    [PRO, { resolution: "4k", ratio: "16:9" }, undefined],
  ])("%s, %p, is of %p", (model, said, size) => {
    if (size === undefined) expect(refused(said, model)).toStartWith("invalid_request | ");
    else expect(sent(said, model)["size"]).toBe(size);
  });

  test("reports unsupported fields, of the client's own protocol, too", () => {
    const extra = { "video-openai": { style: "noir" }, "video-ark": { draft: true } };
    const said = { seed: 1, audio: true, watermark: false, ratio: "adaptive", extra };

    expect(requestOf("openai", SORA, said)).toEqual({
      path: "/videos",
      body: { model: SORA, prompt: "a lake", seconds: "4", size: "720x1280" },
      lost: ["seed", "audio", "style", "draft"],
    });
  });
});

describe("a first frame", () => {
  test("[B4.1-f1] is sent as a link, or as a file id of the vendor", () => {
    const file = { ...FIRST, source: { kind: "reference", id: "file-abc" } } as const;

    expect(sent({ media: [FIRST] })["input_reference"]).toEqual({
      image_url: "https://a.test/1.png",
    });
    expect(sent({ media: [file] })["input_reference"]).toEqual({ file_id: "file-abc" });
  });

  test("[B4.7] is sent as a file if it is bytes, with all other fields beside it", () => {
    const media = [held("first_frame", "aGk=", "image/jpeg")];

    expect(formOf("openai", { media, seconds: 4, size: "1280x720" })).toEqual({
      model: SORA,
      prompt: "a lake",
      seconds: "4",
      size: "1280x720",
      input_reference: { file: "reference.jpg", type: "image/jpeg", bytes: "hi" },
    });
    const clip = { ...held("reference", "aGk=", ""), type: "video" } as const;
    expect(formOf("openai", { media: [clip] })["input_reference"]).toEqual({
      file: "reference.mp4",
      type: "video/mp4",
      bytes: "hi",
    });
  });

  test.each<[string, Partial<VideoRequest>]>([
    ["two", { media: [LOOK, LOOK] }],
    ["a last one", { media: [LAST] }],
    ["a sound", { media: [SOUND] }],
    ["a link to a video", { media: [linked("base", "https://a.test/b.mp4", { type: "video" })] }],
  ])("%s is refused", (_what, said) => {
    expect(refused(said)).toStartWith("invalid_request | input_reference");
  });

  test("of the asset library cannot be sent", () => {
    const media = [{ ...FIRST, source: { kind: "asset", id: "a" } } as const];

    expect(refused({ media })).toStartWith("not_carried | input_reference");
  });
});

describe("[B4.7] a remix", () => {
  test("has another prompt, and otherwise keeps the source's values", () => {
    expect(
      requestOf("openai", SORA, { ...REMIX, prompt: "at night", seconds: 8, seed: 3 }),
    ).toEqual({
      path: "/videos/video_68%2F../remix",
      body: { prompt: "at night" },
      lost: ["seed", "duration"],
    });
    expect(refused({ ...REMIX, prompt: "" })).toStartWith("invalid_request | prompt");
    expect(refused({ ...REMIX, media: [FIRST] })).toStartWith("invalid_request | input_reference");
  });

  test("has an unknown length and size", () => {
    const { style, dialect } = rowFor("openai", question(SORA));

    expect(style.outbound.expect?.(question(SORA, REMIX), dialect)).toEqual({});
    expect(style.outbound.expect?.(question(SORA), dialect)).toEqual({
      seconds: 4,
      size: "720x1280",
    });
  });
});

test("a video is polled and downloaded by its id", () => {
  const { poll, content, webhooks, cancel, find } = rowFor("openai", question(SORA));
  const ref = task(SORA, { upstreamId: "video_68?x" });

  expect(poll.path(ref)).toBe("/videos/video_68%3Fx");
  expect(content?.(ref, "video")).toBe("/videos/video_68%3Fx/content");
  expect(content?.(ref, "thumbnail")).toBe("/videos/video_68%3Fx/content?variant=thumbnail");
  expect(content?.(ref, "spritesheet")).toBe("/videos/video_68%3Fx/content?variant=spritesheet");
  expect(webhooks?.idIn({ type: "video.completed", data: { id: "video_1" } })).toBe("video_1");
  expect(webhooks?.idIn({ data: "video_1" })).toBeUndefined();
  expect([cancel, find]).toEqual([undefined, undefined]);
});

test("models of other kinds get no video request", () => {
  expect(() => rowFor("openai", question("gpt-5"))).toThrow();
});

describe("a compatible server", () => {
  const body = (said: Partial<VideoRequest>) =>
    requestOf("openai-compatible", "wan-local", said).body;

  test("gets every field that it may support, without the original vendor's limits", () => {
    const extra = { "video-openai": { guidance_scale: 5, model: "dearer" } };

    expect(body({ seconds: 7, size: "640x384", extra })).toEqual({
      guidance_scale: 5,
      model: "wan-local",
      prompt: "a lake",
      seconds: "7",
      size: "640x384",
    });
    expect(body({ ratio: "16:9", resolution: "480p" })["size"]).toBe("854x480");
    expect(body({ ratio: "9:16", resolution: "2k" })["size"]).toBe("1440x2560");
  });

  test("gets images as files, from any form", () => {
    expect(rowFor("openai-compatible", question("m")).media.inlines).toEqual(["image"]);
    const extra = { "video-openai": { lora: { scale: 1 } } };
    const media = [held("first_frame")];
    expect(formOf("openai-compatible", { media, extra }, "m")).toMatchObject({
      lora: '{"scale":1}',
      input_reference: { file: "reference.png", type: "image/png" },
    });
  });
});

withShared("schemas", () => {
  const schemas = openApiSchemas("schemas/openai.openapi.yaml");
  const refuted = (name: string, body: JsonObject) =>
    disagreement(body, { $ref: `#/components/schemas/${name}` }, schemas);

  test("every body conforms to the vendor's API description", () => {
    const bodies: readonly Partial<VideoRequest>[] = [
      {},
      { seconds: 12, size: "1280x720" },
      { media: [FIRST] },
      { media: [{ ...FIRST, source: { kind: "reference", id: "file-1" } }] },
      { ratio: "16:9", resolution: "720p", seconds: 4 },
    ];

    for (const said of bodies) expect(refuted("CreateVideoJsonBody", sent(said))).toBeUndefined();
    expect(refuted("CreateVideoRemixBody", sent(REMIX))).toBeUndefined();
    expect(refuted("CreateVideoJsonBody", { prompt: "", seconds: 4 })).toBeDefined();
  });
});
