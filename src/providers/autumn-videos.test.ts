import { describe, expect, test } from "bun:test";
import type { VideoRequest } from "#core/video.ts";
import { listOf } from "#lib/values.ts";
import {
  CLIP,
  FIRST,
  LAST,
  linked,
  LOOK,
  refusalOf,
  requestOf,
  SOUND,
} from "#test/video-request.ts";

type Said = Partial<VideoRequest>;

describe("MiniMax-H3-Max", () => {
  const body = (said: Said) => requestOf("minimax", "MiniMax-H3-Max", said).body;
  const refused = (said: Said) => refusalOf("minimax", "MiniMax-H3-Max", said);

  test("makes 480P and 768P, for 5 to 15 seconds", () => {
    expect(body({ resolution: "480p", seconds: 15 })).toMatchObject({
      resolution: "480P",
      duration: 15,
    });
    expect(body({})).toMatchObject({ resolution: "768P", duration: 5 });
    expect(refused({ resolution: "2k" })).toContain("resolution");
    expect(refused({ seconds: 4 })).toContain("duration");
  });

  test("accepts frames, and no references", () => {
    const { content } = body({ scenario: "first_last", media: [FIRST, LAST] });

    expect(listOf(content)).toMatchObject([
      { type: "text" },
      { role: "first_frame" },
      { role: "last_frame" },
    ]);
    expect(refused({ scenario: "reference", media: [LOOK] })).toContain("no references");
    expect(requestOf("minimax", "MiniMax-H3", { media: [LOOK] }).body["content"]).toHaveLength(2);
  });
});

describe.each(["wan3.0-video", "wan3.0-video-prime", "wan3.1-video"])("%s", (model) => {
  const of = (said: Said = {}) => requestOf("dashscope", model, said).body;

  test("makes a video from text alone", () => {
    expect(of({ resolution: "480p", ratio: "1:1", audio: true })).toMatchObject({
      input: { prompt: "a lake" },
      parameters: { resolution: "480P", ratio: "1:1", audio: true },
    });
    expect(of()["input"]).not.toHaveProperty("media");
  });

  test("gets frames and references in one list", () => {
    expect(of({ scenario: "first_last", media: [FIRST, LAST] })["input"]).toMatchObject({
      media: [{ type: "first_frame" }, { type: "last_frame" }],
    });
    expect(of({ scenario: "omni", media: [LOOK, CLIP] })["input"]).toMatchObject({
      media: [{ type: "reference_image" }, { type: "reference_video" }],
    });
  });

  test("gets the sound option, and no shots", () => {
    const { parameters } = of();

    expect(parameters).toMatchObject({ audio: false });
    expect(parameters).not.toHaveProperty("shot_type");
  });
});

describe.each(["viduq4-preview", "viduq4", "viduq5"])("Vidu: %s", (model) => {
  const of = (said: Said) => requestOf("vidu", model, { media: [FIRST], ...said });
  const frame: Said = { scenario: "first_frame" };
  const refused = (said: Said) => refusalOf("vidu", model, said);

  test("makes 3 to 16 seconds at up to 4K", () => {
    for (const [resolution, written] of [
      ["540p", "540p"],
      ["2k", "2K"],
      ["4k", "4K"],
    ] as const) {
      expect(of({ ...frame, resolution, seconds: 16 }).body).toMatchObject({
        resolution: written,
        duration: 16,
        audio: true,
      });
    }
    expect(refused({ ...frame, media: [FIRST], seconds: 2 })).toContain("duration");
  });

  test("accepts 15 images and 3 sounds", () => {
    const pictures = Array.from({ length: 15 }, (_, at) =>
      linked("reference", `https://a.test/${at}.png`),
    );
    const media = [...pictures, SOUND, SOUND, SOUND];
    const { path, body } = of({ scenario: "omni", media });

    expect(path).toBe("/ent/v2/reference2video");
    expect(body["images"]).toHaveLength(15);
    expect(body["sounds"]).toEqual(Array(3).fill("https://a.test/s.mp3"));
    expect(refused({ scenario: "omni", media: [...media, SOUND] })).toContain("3 audio references");
    expect(refused({ scenario: "omni", media: [...pictures, LOOK] })).toContain("15");
  });

  test("supports no text-only video, and no last frame", () => {
    expect(refused({ scenario: "text" })).toContain("requires an image");
    expect(refused({ scenario: "first_last", media: [FIRST, LAST] })).toContain("no last frame");
  });
});

test("Seedance 2.5 gets no unknown members", () => {
  const extra = { "video-ark": { priority: 3, tools: [{ type: "web_search" }] } };
  const { body, lost } = requestOf("ark", "doubao-seedance-2-5-260628", { seconds: 30, extra });

  expect([body["duration"], body["priority"], lost]).toEqual([30, 3, []]);
  expect(body["tools"]).toEqual([{ type: "web_search" }]);
});
