import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import type { Address } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { SEED, times } from "#test/seed.ts";
import { placesIn, replaced } from "#test/odd-json.ts";
import { VIDEO_FORMATS } from "./index.ts";

const LINK = "https://media.example/1.png";
const VIDEO = "https://media.example/1.mp4";
const ELEMENTS = [
  { type: "text", text: "a fox" },
  { type: "image_url", image_url: { url: LINK }, role: "first_frame" },
];
const CONTENTS = [
  { type: "prompt", text: "a fox" },
  { type: "refer_image", url: LINK, id: "fox" },
  { type: "voice", voice_id: "v" },
  { type: "element", element_id: 1 },
];

/** With wishes among the words, and an asset. */
const FLAGGED = [
  { type: "text", text: "a fox --dur 5 --rs 720p" },
  { type: "image_url", image_url: { url: LINK }, role: "first_frame" },
  { type: "image_url", image_url: { url: "asset://asset-1" }, role: "last_image" },
];
const WISHES = { seed: 1, watermark: false, resolution: "720p", ratio: "16:9", frames: 57 };
const CALLBACK = "https://caller.example/done";

/** A request that says much, in each protocol. */
const REQUESTS: readonly (readonly [id: string, Address, JsonObject])[] = [
  [
    "video-unified",
    {},
    {
      model: "m",
      prompt: "a fox",
      images: [LINK, { image_url: LINK }],
      duration: 5,
      seconds: "5",
      size: "1280*720",
      metadata: { ...WISHES, content: FLAGGED, audio_url: LINK, callback_url: CALLBACK },
    },
  ],
  [
    "video-openai",
    {},
    { model: "m", prompt: "a fox", seconds: "4", input_reference: { file_id: "file-1" } },
  ],
  [
    "video-ark",
    {},
    { ...WISHES, model: "m", content: FLAGGED, callback_url: CALLBACK, generate_audio: false },
  ],
  [
    "video-veo",
    { model: "m" },
    {
      instances: [
        {
          prompt: "a fox",
          image: { bytesBase64Encoded: "AAAA", mimeType: "image/png" },
          lastFrame: { inlineData: { data: "AAAA", mimeType: "image/png" } },
          referenceImages: [{ image: { gcsUri: "gs://a/b.png" }, referenceType: "asset" }],
          video: { uri: LINK },
        },
      ],
      parameters: { durationSeconds: "8", sampleCount: 1, aspectRatio: "16:9" },
    },
  ],
  ["video-jimeng", {}, { req_key: "m", image_urls: [LINK, LINK], seed: 1, frames: 121 }],
  [
    "video-vidu",
    { scenario: "reference2video" },
    {
      model: "m",
      images: [LINK],
      resolution: "720P",
      payload: "p",
      metadata: { action: "reference" },
    },
  ],
  ["video-minimax", {}, { model: "m", content: ELEMENTS, resolution: "2K", duration: 5 }],
  [
    "video-kling",
    { scenario: "omni-video" },
    {
      model_name: "m",
      prompt: "<<<image_1>>>",
      image_list: [{ image_url: LINK, type: "first_frame" }],
      video_list: [{ video_url: VIDEO, refer_type: "base" }],
      element_list: [{ element_id: 1 }],
      camera_control: { type: "simple", config: { zoom: 1 } },
      metadata: { duration: "5", watermark_info: { enabled: true } },
    },
  ],
  [
    "video-kling3",
    { scenario: "omni-video", model: "m" },
    {
      contents: CONTENTS,
      settings: { resolution: "720p", duration: 5, audio: "native" },
      options: { external_task_id: "e", watermark_info: { enabled: true } },
    },
  ],
];

const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, "", {}, [], [[]], [null], -1, 0, 1e308, true, "data:", "asset://"),
  fc.constantFrom<Json>("javascript:alert(1)", "https://", "\u0000", "x".repeat(9e3)),
  fc.jsonValue().map((value) => value as Json),
);

describe.each(REQUESTS)("%s", (id, address, sound) => {
  const inbound = VIDEO_FORMATS.get(id)?.inbound;

  test("reads a full request", () => {
    expect(inbound?.read(sound, address)).toMatchObject({ model: "m" });
  });

  test("reads or refuses a request with one odd value", () => {
    const places = placesIn(sound).filter((path) => path.length > 0);
    fc.assert(
      fc.property(fc.constantFrom(...places), hostile, (path, by) => {
        const odd = replaced(sound, path, by);
        if (!isObject(odd)) return;
        try {
          const { media, model } = inbound?.read(odd, address) ?? { media: [], model: 0 };
          expect(typeof model).toBe("string");
          for (const { source } of media) {
            if (source.kind === "url") expect(source.url).toMatch(/^https?:/i);
          }
        } catch (cause) {
          if (!(cause instanceof GatewayError)) throw cause;
          expect(cause.fault.status).toBe(400);
          expect(cause.param).not.toBe("");
          expect(cause.message).not.toContain("undefined");
        }
      }),
      { seed: SEED, numRuns: times(400, 20_000) },
    );
  });
});
