import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import { Form, type SentForm } from "#lib/form.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { SEED, times } from "#test/seed.ts";
import { held, linked, OUR_ID, question, rowFor } from "#test/video-request.ts";

const type = fc.constantFrom("image", "video", "audio");
const role = fc.constantFrom("first_frame", "last_frame", "reference", "base", "voice");
const source = fc.constantFrom<VideoMedia["source"]>(
  linked("base", "https://a.test/x").source,
  held("base").source,
  { kind: "bytes", bytes: new Uint8Array([1, 2]), mediaType: "" },
  { kind: "asset", id: "asset-1" },
  { kind: "reference", id: "oss://a/b" },
  { kind: "reference", id: "gs://a/b" },
);
const medium = fc.record({ type, role, source }) satisfies fc.Arbitrary<VideoMedia>;
const FIRST = held("first_frame");
const LOOK = held("reference");
const media = fc.oneof(
  fc.constantFrom([], [FIRST], [LOOK], [FIRST, held("last_frame")], [LOOK, LOOK]),
  fc.array(medium, { maxLength: 6 }),
);
const wishes = {
  scenario: fc.constantFrom("text", "first_frame", "reference", "omni", "remix"),
  prompt: fc.constantFrom("", "a lake"),
  negativePrompt: fc.constantFrom("UNWANTED", "n".repeat(600)),
  media,
  seconds: fc.constantFrom(-1, 0, 2, 4, 5, 6, 8, 10, 12, 15, 30, 4.5),
  frames: fc.constantFrom(24, 29, 57, 121, 290),
  size: fc.constantFrom("1280x720", "720*1280", "960x960", "1920x1080", "1x1", "wide"),
  resolution: fc.constantFrom("480p", "720p", "768p", "1080p", "4k", "huge"),
  ratio: fc.constantFrom("16:9", "9:16", "1:1", "21:9", "adaptive", "odd"),
  framesPerSecond: fc.constantFrom(16, 24),
  count: fc.constantFrom(0, 1, 2, 4, 5),
  seed: fc.constantFrom(-1, 0, 123_454_321, 4_294_967_295, 0.5),
  audio: fc.boolean(),
  music: fc.boolean(),
  watermark: fc.boolean(),
  cameraFixed: fc.boolean(),
  rewrite: fc.boolean(),
  people: fc.constantFrom("allow_all", "allow_adult", "nobody"),
  lastFrame: fc.boolean(),
  user: fc.constantFrom("USER-1", "u".repeat(65)),
  extra: fc.constantFrom({ "video-unified": { STRANGE: 1, model: "dearer" } }),
};
/** A few of them at a time: of all together hardly any are taken. */
const said = fc
  .tuple(fc.record(wishes), media, fc.subarray(Object.keys(wishes), { maxLength: 5 }))
  .map(([all, given, names]) => ({
    media: given,
    ...Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))),
  })) as fc.Arbitrary<Partial<VideoRequest>>;

interface Sent {
  readonly body: JsonObject;
  readonly lost: readonly string[];
  readonly asked: VideoRequest;
}

/** Undefined where it is refused, which must be in our words and name a field. */
function sent(provider: string, model: string, wishes: Partial<VideoRequest>): Sent | undefined {
  const asked = question(model, wishes);
  const { style, dialect } = rowFor(provider, asked);
  const report = new LossReport();
  const context = { report, model: {}, externalId: OUR_ID, ...(dialect && { dialect }) };
  try {
    const built = style.outbound.build(asked, context);
    style.outbound.expect?.(asked, dialect);
    return { body: built instanceof Form ? fieldsOf(built) : built, lost: report.fields, asked };
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    expect(cause.fault.status).toBe(400);
    expect(cause.param).toBeDefined();
    return undefined;
  }
}

function fieldsOf({ parts }: SentForm): JsonObject {
  return Object.fromEntries(
    parts.map((part) => [part.name, "value" in part ? part.value : "a file"]),
  );
}

/** What is wished for is in the body, or is said to be lost. */
function nothingIsSilentlyLost({ body, lost, asked }: Sent): void {
  const text = JSON.stringify(body);
  const carries = (name: string, value: Json): void => {
    const isThere = text.includes(`:${JSON.stringify(value)}`);
    if (!isThere && !lost.includes(name)) throw new Error(`'${name}' is nowhere.`);
  };
  if ((asked.seed ?? -1) >= 0) carries("seed", asked.seed ?? 0);
  if (asked.negativePrompt !== undefined) carries("negative_prompt", asked.negativePrompt);
  if (asked.user !== undefined) carries("user", asked.user);
  if (asked.watermark === true) carries("watermark", true);
  if (asked.cameraFixed === true) carries("camera_fixed", true);
  if (asked.lastFrame === true) carries("return_last_frame", true);
  if (asked.music === true) carries("bgm", true);
  if (asked.extra !== undefined) expect(lost).toEqual(expect.arrayContaining(["STRANGE", "model"]));
  expect(text).not.toContain("dearer");
  expect(text).not.toMatch(/NaN|undefined|Infinity/);
}

function heldTo(provider: string, model: string, rules: (sent: Sent) => void): void {
  let taken = 0;
  fc.assert(
    fc.property(said, (wishes) => {
      const made = sent(provider, model, wishes);
      if (made === undefined) return;
      taken++;
      nothingIsSilentlyLost(made);
      rules(made);
    }),
    { seed: SEED, numRuns: times(700, 30_000) },
  );
  // Otherwise nothing was shown.
  expect(taken).toBeGreaterThan(50);
}

const isOneOf = (value: Json | undefined, allowed: readonly Json[]): boolean =>
  value === undefined || allowed.includes(value);

describe("every request obeys the vendor's rules", () => {
  test.each<[string, readonly number[], readonly string[]]>([
    ["doubao-seedance-1-0-pro-250528", [2, 12], ["480p", "720p", "1080p"]],
    ["doubao-seedance-2-0-260128", [4, 15], ["480p", "720p", "1080p", "4k"]],
    ["doubao-seedance-2-0-fast-260128", [4, 15], ["480p", "720p"]],
    ["doubao-seedance-2-5-260601", [4, 30], ["480p", "720p", "1080p"]],
  ])("%s", (model, [min = 0, max = 0], resolutions) => {
    heldTo("ark", model, ({ body }) => {
      const { duration, content, resolution } = body;
      const isAny = duration === -1 && !model.includes("1-0");
      const isWithin = typeof duration === "number" && duration >= min && duration <= max;
      expect(duration === undefined || isAny || isWithin).toBe(true);
      expect(isOneOf(resolution, resolutions)).toBe(true);
      const roles = listOf(content).map((each) => memberOf(each, "role"));
      const firsts = roles.filter((each) => each === "first_frame").length;
      const lasts = roles.filter((each) => each === "last_frame").length;
      const references = roles.filter((each) => textOf(each)?.startsWith("reference_"));
      expect(firsts <= 1 && lasts <= firsts).toBe(true);
      expect(firsts === 0 || references.length === 0).toBe(true);
      expect(roles.length).toBeGreaterThan(0);
    });
  });

  test("sora-2", () => {
    heldTo("openai", "sora-2", ({ body, asked }) => {
      expect(isOneOf(body["seconds"], ["4", "8", "12"])).toBe(true);
      expect(isOneOf(body["size"], ["720x1280", "1280x720"])).toBe(true);
      expect(body["prompt"]).toBe(asked.prompt === "" ? "A short video." : "a lake");
      expect(body["model"]).toBe(asked.scenario === "remix" ? undefined : "sora-2");
    });
  });

  test.each([
    ["gemini", "veo-3.1-generate-preview"],
    ["vertex", "veo-3.1-generate-001"],
    ["vertex", "veo-3.1-lite-generate-001"],
  ])("%s, %s", (provider, model) => {
    heldTo(provider, model, ({ body }) => {
      const parameters = objectOf(body["parameters"]) ?? {};
      const [instance] = listOf(body["instances"]);
      const { durationSeconds: seconds, resolution, generateAudio: sound } = parameters;
      expect(isOneOf(seconds, [4, 6, 8])).toBe(true);
      expect(isOneOf(parameters["aspectRatio"], ["16:9", "9:16"])).toBe(true);
      if (resolution !== undefined && resolution !== "720p") {
        expect(isOneOf(seconds, [8])).toBe(true);
        expect(resolution === "4k" && model.includes("lite")).toBe(false);
      }
      expect(typeof sound).toBe(provider === "vertex" ? "boolean" : "undefined");
      expect(isObject(instance)).toBe(true);
      const [image, last, looks, video] = ["image", "lastFrame", "referenceImages", "video"].map(
        (name) => memberOf(instance, name),
      );
      expect(last === undefined || image !== undefined).toBe(true);
      expect(looks === undefined || (image ?? video) === undefined).toBe(true);
      expect(listOf(looks).length).toBeLessThanOrEqual(3);
      if (looks !== undefined) expect(isOneOf(seconds, [8])).toBe(true);
    });
  });

  test.each(["wan2.2-t2v-plus", "wan2.5-t2v-preview", "wan2.6-i2v-flash", "wan2.7-r2v"])(
    "%s",
    (model) => {
      heldTo("dashscope", model, ({ body }) => {
        const parameters = objectOf(body["parameters"]) ?? {};
        const { size, resolution, prompt_extend: extend, audio } = parameters;
        expect(typeof extend).toBe("boolean");
        const canSwitch = model === "wan2.5-t2v-preview" || model === "wan2.6-i2v-flash";
        expect(typeof audio).toBe(canSwitch ? "boolean" : "undefined");
        expect(
          (size ?? resolution) === undefined || (size === undefined) !== (resolution === undefined),
        ).toBe(true);
        expect(size === undefined || /^\d+\*\d+$/.test(textOf(size) ?? "")).toBe(true);
        expect(isOneOf(resolution, ["480P", "720P", "1080P"])).toBe(true);
      });
    },
  );
});
