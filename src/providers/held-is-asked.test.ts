import { describe, expect, test } from "bun:test";
import type { VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { integerOf, objectOf, textOf } from "#lib/values.ts";
import { BASE, FIRST, question, requestOf, rowFor } from "#test/video-request.ts";

/** What a vendor is told of length, resolution and sound. */
function told(body: JsonObject) {
  const settings = objectOf(body["settings"]) ?? body;
  const sound = settings["sound"] ?? settings["audio"] ?? settings["generate_audio"];
  const byMode = { std: "720p", pro: "1080p" }[textOf(settings["mode"]) ?? ""];
  return {
    seconds: integerOf(settings["duration"]) ?? Number(settings["duration"]),
    resolution: byMode ?? textOf(settings["resolution"])?.toLowerCase(),
    audio: sound === "on" || sound === "native" || sound === true,
  };
}

function expected(vendor: string, model: string, said: Partial<VideoRequest> = {}) {
  const asked = question(model, said);
  const { style, dialect } = rowFor(vendor, asked);
  return style.outbound.expect?.(asked, dialect);
}

function longest(vendor: string, model: string, said: Partial<VideoRequest>) {
  const asked = question(model, said);
  const { style, dialect } = rowFor(vendor, asked);
  return style.outbound.longest?.(asked, dialect);
}

describe("[B4.1] defaults that are reserved for a video are sent to the vendor", () => {
  test.each([
    ["kling", "kling-v1", {}],
    ["kling", "kling-v1", { entry: "video-kling" }],
    ["kling", "kling-v2-6", {}],
    ["kling", "kling-v3", {}],
    ["kling", "kling-v3", { media: [FIRST], scenario: "first_frame" }],
    ["kling", "kling-v3-omni", {}],
    ["kling", "kling-3.0-turbo", {}],
    ["kling", "kling-3.0", {}],
    ["kling", "kling-3.0", { media: [FIRST], scenario: "first_frame" }],
    ["kling", "kling-2.6", { entry: "video-kling3" }],
    ["kling", "kling-o1", {}],
    ["vidu", "viduq3", {}],
    ["vidu", "viduq3", { entry: "video-vidu" }],
    ["vidu", "viduq2", {}],
    ["vidu", "viduq1", {}],
    ["vidu", "vidu2.0", {}],
    ["vidu", "vidu2.0", { seconds: 8 }],
    ["minimax", "MiniMax-Hailuo-02", {}],
    ["minimax", "MiniMax-Hailuo-2.3", { seconds: 10 }],
    ["minimax", "T2V-01", {}],
    ["minimax", "MiniMax-H3", {}],
    ["ark", "doubao-seedance-1-0-pro-250528", {}],
    ["ark", "doubao-seedance-1-0-lite-t2v-250428", {}],
    ["ark", "doubao-seedance-1-5-pro-251215", { audio: true }],
    ["ark", "doubao-seedance-2-0-260128", { audio: false }],
  ] satisfies [string, string, Partial<VideoRequest>][])("%s, %s, %j", (vendor, model, said) => {
    const { audio = false, ...rest } = expected(vendor, model, said) ?? {};

    expect(told(requestOf(vendor, model, said).body)).toEqual({ audio, ...rest } as never);
  });

  test("but clients of Ark's own protocol may set them in the prompt", () => {
    const said = { entry: "video-ark" };

    expect(requestOf("ark", "doubao-seedance-1-0-pro-250528", said).body).not.toHaveProperty(
      "duration",
    );
  });

  test("models without sound get no sound option", () => {
    expect(requestOf("kling", "kling-v1").body).not.toHaveProperty("sound");
    expect(requestOf("kling", "kling-2.5-turbo").body["settings"]).not.toHaveProperty("audio");
    expect(requestOf("vidu", "viduq2").body).not.toHaveProperty("audio");
  });
});

describe("[B4.1] the maximum is reserved if the vendor decides on the length", () => {
  const EDIT = { media: [BASE], scenario: "omni" } as const;

  test.each([
    ["ark", "doubao-seedance-1-5-pro-251215", { seconds: -1 }, 12],
    ["ark", "doubao-seedance-2-5-260628", { seconds: -1 }, 30],
    ["ark", "ep-20260101-abcde", { seconds: -1 }, 30],
    ["ark", "doubao-seedance-2-5-260628", { seconds: 7 }, undefined],
    ["ark", "doubao-seedance-2-5-260628", {}, undefined],
    ["kling", "kling-video-o1", EDIT, 10],
    ["kling", "kling-3.0-omni", EDIT, 15],
    ["kling", "kling-3.0-omni", {}, undefined],
    ["dashscope", "wan2.7-i2v", { media: [BASE] }, 15],
  ] satisfies [string, string, Partial<VideoRequest>, number | undefined][])(
    "%s, %s, %j: %p",
    (vendor, model, said, seconds) => {
      expect(longest(vendor, model, said)).toBe(seconds);
    },
  );
});
