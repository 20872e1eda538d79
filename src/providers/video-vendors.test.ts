import { expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import type { MediaOrigin, VideoMedia, VideoRequest, VideoScenario } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { SEED, times } from "#test/seed.ts";
import { CALLBACK, OUR_ID, question, requestOf, rowFor, task } from "#test/video-request.ts";
import { findProvider } from "./index.ts";

const VENDORS = ["jimeng", "vidu", "minimax", "kling"] as const;
const MODELS = VENDORS.flatMap((vendor) =>
  [...(findProvider(vendor)?.models ?? []), "a-model-of-tomorrow"].map(
    (model) => [vendor, model] as const,
  ),
);
const FORMATS = [
  ...new Set(
    VENDORS.flatMap((vendor) => (findProvider(vendor)?.videos ?? []).map((row) => row.style)),
  ),
];

const scenario: fc.Arbitrary<VideoScenario> = fc.constantFrom(
  "text",
  "first_frame",
  "first_last",
  "reference",
  "omni",
  "remix",
);
const origin: fc.Arbitrary<MediaOrigin> = fc.oneof(
  fc.webUrl().map((url): MediaOrigin => ({ kind: "url", url })),
  fc.uint8Array().map((bytes): MediaOrigin => ({ kind: "bytes", bytes, mediaType: "image/png" })),
  fc.base64String().map((base64): MediaOrigin => ({ kind: "base64", base64, mediaType: "" })),
  fc.string().map((id): MediaOrigin => ({ kind: "asset", id })),
);
const medium: fc.Arbitrary<VideoMedia> = fc.record(
  {
    type: fc.constantFrom("image", "video", "audio"),
    role: fc.constantFrom("first_frame", "last_frame", "reference", "base", "voice"),
    source: origin,
    tag: fc.string(),
  },
  { requiredKeys: ["type", "role", "source"] },
);
const seconds = fc.oneof(fc.integer({ min: -1, max: 20 }), fc.double());
const extra = fc.dictionary(
  fc.constantFrom("callback_url", "external_task_id", "options", "settings", "contents", "style"),
  fc.jsonValue() as fc.Arbitrary<JsonObject>,
);
const said: fc.Arbitrary<Partial<VideoRequest>> = fc.record(
  {
    scenario,
    prompt: fc.string(),
    negativePrompt: fc.string(),
    media: fc.array(medium, { maxLength: 5 }),
    seconds,
    frames: fc.integer({ min: -5, max: 300 }),
    size: fc.oneof(fc.constantFrom("1280x720", "720*1280", "0x0", "99999x1"), fc.string()),
    resolution: fc.oneof(fc.constantFrom("720p", "1080p", "768p", "2k", "4k"), fc.string()),
    ratio: fc.oneof(fc.constantFrom("16:9", "adaptive"), fc.string()),
    seed: fc.integer(),
    audio: fc.boolean(),
    music: fc.boolean(),
    watermark: fc.boolean(),
    rewrite: fc.boolean(),
    guidance: fc.double(),
    mode: fc.constantFrom("std", "pro", "best"),
    camera: fc.object() as fc.Arbitrary<JsonObject>,
    extra: fc.dictionary(
      fc.constantFrom(...FORMATS.map(({ id }) => id)),
      extra as fc.Arbitrary<JsonObject>,
    ),
    callbackUrl: fc.constant("https://caller.test/told"),
    externalId: fc.constant("id-of-the-caller"),
  },
  { requiredKeys: ["scenario"] },
);

test("a request is either translated to the vendor's format or refused by the gateway", () => {
  fc.assert(
    fc.property(fc.constantFrom(...MODELS), said, fc.boolean(), ([vendor, model], wishes, told) => {
      const sent = unlessRefused(() =>
        requestOf(vendor, model, wishes, told ? CALLBACK : undefined),
      );
      if (sent === undefined) return;
      const text = JSON.stringify(sent.body);
      // Nobody but us is told of a task, and it goes by no id but ours.
      expect(text).not.toContain("caller.test");
      expect(text).not.toContain("id-of-the-caller");
      expect(sent.path).toStartWith(vendor === "jimeng" ? "?" : "/");
      if (vendor === "kling") expect(text).toContain(`"external_task_id":"${OUR_ID}"`);
      if (vendor === "kling" || vendor === "vidu") expect(text.includes(CALLBACK)).toBe(told);
      else expect(text).not.toContain(CALLBACK);
      if (!("callback_url" in { ...sent.body })) return;
      expect(sent.body["callback_url"]).toBe(CALLBACK);
    }),
    { seed: SEED, numRuns: times(120, 50_000) },
  );
});

test("the same request always has the same translation", () => {
  fc.assert(
    fc.property(fc.constantFrom(...MODELS), said, ([vendor, model], wishes) => {
      const ask = () => unlessRefused(() => requestOf(vendor, model, wishes));
      expect(JSON.stringify(ask())).toBe(JSON.stringify(ask()));
    }),
    { seed: SEED, numRuns: times(80, 5_000) },
  );
});

test.each([
  ["jimeng", "jimeng_v30", {}, { audio: false, resolution: "720p", seconds: 5 }],
  [
    "jimeng",
    "jimeng_v30_1080p",
    { frames: 241 },
    { audio: false, resolution: "1080p", seconds: 10 },
  ],
  ["vidu", "viduq3", {}, { audio: true, resolution: "720p", seconds: 5 }],
  [
    "vidu",
    "viduq3",
    { audio: false, music: true },
    { audio: false, music: false, resolution: "720p", seconds: 5 },
  ],
  ["vidu", "viduq2", { audio: true, seconds: 9 }, { audio: false, resolution: "720p", seconds: 9 }],
  ["vidu", "viduq1", {}, { audio: false, resolution: "1080p", seconds: 5 }],
  ["vidu", "vidu2.0", { resolution: "360p" }, { audio: false, resolution: "360p", seconds: 4 }],
  ["minimax", "MiniMax-H3", {}, { resolution: "768p", seconds: 5 }],
  ["minimax", "MiniMax-H3", { resolution: "2k", seconds: 15 }, { resolution: "2k", seconds: 15 }],
  ["minimax", "MiniMax-Hailuo-02", {}, { resolution: "768p", seconds: 6 }],
  ["minimax", "T2V-01", {}, { resolution: "720p", seconds: 6 }],
  ["kling", "kling-v1", {}, { audio: false, resolution: "720p", seconds: 5 }],
  [
    "kling",
    "kling-v1",
    { mode: "pro", audio: true },
    { audio: false, resolution: "1080p", seconds: 5 },
  ],
  [
    "kling",
    "kling-v3",
    { audio: true, frames: 240 },
    { audio: true, resolution: "720p", seconds: 10 },
  ],
  ["kling", "kling-3.0", { size: "3840x2160" }, { audio: false, resolution: "4k", seconds: 5 }],
  [
    "kling",
    "kling-3.0",
    { audio: true, seconds: 15 },
    { audio: true, resolution: "720p", seconds: 15 },
  ],
  ["kling", "kling-3.0-turbo", { audio: true }, { audio: false, resolution: "720p", seconds: 5 }],
])(
  "%s is expected to make from %s with %j the usage that it charges",
  (vendor, model, wishes, facts) => {
    const asked = question(model, wishes);
    const { style, dialect } = rowFor(vendor, asked);

    expect(style.outbound.expect?.(asked, dialect)).toEqual(facts);
  },
);

const word = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom("succeeded", "success", "succeed", "done", "failed", "Success", "Fail", "77"),
  fc.constantFrom(0, 10_000, 50_511, 50_429, 1_303, 5_002, 1_027),
);
const NAMES = (
  "code message data status state task task_id id task_status error reason creations outputs url " +
  "task_result videos content base_resp status_code err_code file usage ResponseMetadata Error " +
  "__proto__ constructor external_id video_url duration type"
).split(" ");
const { body: hostile } = fc.letrec<{ body: Record<string, unknown>; value: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, word, tie("body"), fc.array(tie("body"), { maxLength: 3 })),
  body: fc.dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 8 }),
}));

test("any vendor response is read or causes one of the gateway's own errors", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FORMATS),
      hostile,
      fc.constantFrom(200, 400, 404, 429, 500),
      ({ outbound }, given, status) => {
        const body = JSON.parse(JSON.stringify(given)) as JsonObject;
        const id = unlessRefused(() => outbound.parseSubmitted(body));
        if (id !== undefined) expect(id).toMatch(/^[^]{1,256}$/);
        const update = unlessRefused(() => outbound.parseTask(body, task("m"), status));
        if (update?.state === "succeeded") {
          for (const { url } of update.videos) expect(url).toMatch(/^https?:\/\//i);
        }
        if (update?.state === "failed") {
          expect(update.failure.code).toMatch(/^[\w.-]{1,64}$/);
          expect(update.failure.message).not.toBe("");
        }
        unlessRefused(() => outbound.parseFound?.(body, OUR_ID));
        expect(outbound.parseError(status, JSON.stringify(body)).message).not.toBe("");
      },
    ),
    { seed: SEED, numRuns: times(150, 50_000) },
  );
});

test("a failure in an unknown format is read as well", () => {
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), fc.string(), ({ outbound }, text) => {
      expect(outbound.parseError(500, text).message).not.toBe("");
    }),
    { seed: SEED, numRuns: times(120, 5_000) },
  );
});

function unlessRefused<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (cause) {
    if (cause instanceof GatewayError) return undefined;
    throw cause;
  }
}
