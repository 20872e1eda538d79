import { describe, expect, test } from "bun:test";
import { GoogleGenAI, type GenerateVideosParameters } from "@google/genai";
import type { VideoRequest } from "#core/video.ts";
import { parseJson, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import {
  FIRST,
  held,
  LAST,
  question,
  refusalOf,
  requestOf,
  rowFor,
  SOUND,
  task,
} from "#test/video-request.ts";
import { vertex } from "./vertex.ts";

const NEWEST = "veo-3.1-generate-001";
const FAST = "veo-3.1-fast-generate-001";
const LITE = "veo-3.1-lite-generate-001";
const THIRD = "veo-3.0-generate-001";
const SECOND = "veo-2.0-generate-001";

type Said = Partial<VideoRequest>;
const of = (provider: string, model: string, said: Said = {}) => requestOf(provider, model, said);
const parameters = (provider: string, model: string, said: Said = {}) =>
  objectOf(of(provider, model, said).body["parameters"]) ?? {};
const lost = (provider: string, model: string, said: Said) => of(provider, model, said).lost;
const refused = (provider: string, model: string, said: Said) => refusalOf(provider, model, said);

const PICTURE = held("first_frame");
const END = held("last_frame", "Ynll", "image/jpeg");
const LOOK = held("reference");
const CLIP = { ...held("base", "AAAA", "video/mp4"), type: "video" } as const;
const WIRE = { bytesBase64Encoded: "aGk=", mimeType: "image/png" };

describe("a video request", () => {
  test("has a prompt and the fields without a vendor default", () => {
    expect(of("gemini", NEWEST)).toEqual({
      path: `/models/${NEWEST}:predictLongRunning`,
      body: { instances: [{ prompt: "a lake" }], parameters: { durationSeconds: 4 } },
      lost: [],
    });
    expect(of("vertex", NEWEST)).toEqual({
      path: `/v1/publishers/google/models/${NEWEST}:predictLongRunning`,
      body: {
        instances: [{ prompt: "a lake" }],
        parameters: { durationSeconds: 4, sampleCount: 1, generateAudio: false },
      },
      lost: [],
    });
  });

  test("[B4.1-f2] has every supported field", () => {
    const said: Said = {
      seconds: 8,
      ratio: "9:16",
      resolution: "1080p",
      negativePrompt: "fog",
      people: "allow_adult",
      seed: 4_294_967_295,
      audio: true,
      count: 4,
      watermark: false,
      extra: { "video-unified": { compressionQuality: "lossless", resizeMode: "crop" } },
    };

    expect(of("vertex", NEWEST, said)).toMatchObject({
      body: {
        instances: [{ prompt: "a lake" }],
        parameters: {
          aspectRatio: "9:16",
          resolution: "1080p",
          durationSeconds: 8,
          negativePrompt: "fog",
          personGeneration: "allow_adult",
          sampleCount: 4,
          seed: 4_294_967_295,
          generateAudio: true,
          addWatermark: false,
          compressionQuality: "lossless",
          resizeMode: "crop",
        },
      },
      lost: [],
    });
    expect(of("gemini", NEWEST, { ...said, count: 1 })).toEqual({
      path: `/models/${NEWEST}:predictLongRunning`,
      body: {
        instances: [{ prompt: "a lake" }],
        parameters: {
          aspectRatio: "9:16",
          resolution: "1080p",
          durationSeconds: 8,
          negativePrompt: "fog",
          personGeneration: "allow_adult",
          seed: 4_294_967_295,
        },
      },
      lost: ["compressionQuality", "resizeMode"],
    });
  });

  test("goes to the project and region of the channel", () => {
    const asked = question(NEWEST);
    const options = { project: "p1", location: "europe-west4" };

    expect(rowFor("vertex", asked).path(NEWEST, asked, options)).toBe(
      `/v1/projects/p1/locations/europe-west4/publishers/google/models/${NEWEST}:predictLongRunning`,
    );
  });

  test("cannot set the vendor's output location", () => {
    const extra = { "video-unified": { storageUri: "gs://theirs/", model: "dearer" } };

    expect(parameters("vertex", NEWEST, { extra })).toEqual({
      durationSeconds: 4,
      sampleCount: 1,
      generateAudio: false,
    });
    expect(lost("vertex", NEWEST, { extra })).toEqual(["storageUri", "model"]);
  });

  test("is the same from the fields of other protocols", () => {
    expect(parameters("gemini", NEWEST, { size: "720x1280", seed: -1 })).toEqual({
      aspectRatio: "9:16",
      resolution: "720p",
      durationSeconds: 4,
    });
    expect(parameters("gemini", NEWEST, { ratio: "adaptive", frames: 144 })).toEqual({
      durationSeconds: 6,
    });
  });
});

describe("[B4.1-f2] sound", () => {
  test.each<[string, string, boolean | undefined, boolean | undefined, boolean]>([
    ["vertex", NEWEST, undefined, false, false],
    ["vertex", NEWEST, false, false, false],
    ["vertex", NEWEST, true, true, false],
    ["vertex", LITE, undefined, false, false],
    ["vertex", THIRD, undefined, false, false],
    ["vertex", FAST, undefined, undefined, false],
    ["vertex", FAST, false, undefined, true],
    ["vertex", FAST, true, undefined, false],
    ["vertex", "veo-3.0-fast-generate-001", false, undefined, true],
    ["gemini", NEWEST, undefined, undefined, false],
    ["gemini", NEWEST, false, undefined, true],
    ["gemini", NEWEST, true, undefined, false],
    ["vertex", SECOND, undefined, undefined, false],
    ["vertex", SECOND, false, undefined, false],
  ])("at %s, %s, %p: is sent as %p, lost: %p", (provider, model, audio, expected, isLost) => {
    const said = audio === undefined ? {} : { audio };

    expect(parameters(provider, model, said)["generateAudio"]).toBe(expected as boolean);
    expect(lost(provider, model, said)).toEqual(isLost ? ["audio"] : []);
  });
});

describe("[B4.1-f2] a resolution is sent only if requested, and lowered if unsupported", () => {
  test.each<[string, Said, string | undefined, boolean]>([
    [NEWEST, {}, undefined, false],
    [NEWEST, { seconds: 4 }, undefined, false],
    [NEWEST, { resolution: "720p", seconds: 4 }, "720p", false],
    [NEWEST, { resolution: "1080p" }, "1080p", false],
    [NEWEST, { resolution: "1080p", seconds: 8 }, "1080p", false],
    [NEWEST, { resolution: "1080p", seconds: 4 }, "720p", true],
    [NEWEST, { resolution: "4k", seconds: 6 }, "720p", true],
    [NEWEST, { resolution: "4k", ratio: "9:16" }, "4k", false],
    [NEWEST, { resolution: "1080p", media: [CLIP] }, "720p", true],
    [LITE, { resolution: "4k" }, "1080p", true],
    [LITE, { resolution: "4k", seconds: 4 }, "720p", true],
    [THIRD, { resolution: "1080p", seconds: 4 }, "1080p", false],
    [THIRD, { resolution: "1080p", ratio: "9:16" }, "720p", true],
    [THIRD, { size: "1080x1920" }, "720p", true],
    [SECOND, { resolution: "720p" }, undefined, false],
    [SECOND, { resolution: "1080p" }, undefined, true],
  ])("%s, %p: %p, reported: %p", (model, said, resolution, isLowered) => {
    for (const provider of ["gemini", "vertex"]) {
      expect(parameters(provider, model, said)["resolution"]).toBe(resolution as string);
      expect(lost(provider, model, said)).toEqual(isLowered ? ["resolution"] : []);
    }
  });

  test("a resolution that no model has is not lowered", () => {
    expect(refused("gemini", NEWEST, { resolution: "480p" })).toBe(
      "invalid_request | resolution | 'resolution' must be 720p, 1080p or 4k.",
    );
  });
});

test.each<[string, readonly number[], readonly number[]]>([
  [NEWEST, [4, 6, 8], [5, 7, 10, 0, -1]],
  [FAST, [4, 6, 8], [5]],
  [THIRD, [4, 6, 8], [5]],
  [SECOND, [5, 6, 7, 8], [4, 9]],
])("[B4.1-f2] %s makes %p seconds, and not %p", (model, taken, not) => {
  for (const seconds of taken) {
    expect(parameters("vertex", model, { seconds })).toMatchObject({ durationSeconds: seconds });
  }
  for (const seconds of not) {
    expect(refused("vertex", model, { seconds })).toStartWith("invalid_request | duration");
  }
});

test("[B4.1-f2] a video lasts the documented 4 seconds by default, and is reserved as that", () => {
  const lengthOf = (model: string, said: Said = {}): readonly unknown[] => {
    const { style, dialect } = rowFor("gemini", question(model));
    const { seconds } = style.outbound.expect?.(question(model, said), dialect) ?? {};
    return [parameters("gemini", model, said)["durationSeconds"], seconds];
  };

  expect(lengthOf(NEWEST)).toEqual([4, 4]);
  // The shortest that it makes.
  expect(lengthOf(SECOND)).toEqual([5, 5]);
  // What was said needs another length.
  expect(lengthOf(NEWEST, { resolution: "1080p" })).toEqual([8, 8]);
  // The vendor's own callers know the vendor's default.
  expect(lengthOf(NEWEST, { entry: "video-veo" })).toEqual([undefined, 8]);
});

describe("media", () => {
  test("[B4.1-f2] are a first and a last frame", () => {
    expect(of("gemini", NEWEST, { media: [PICTURE, END] }).body).toEqual({
      instances: [
        {
          prompt: "a lake",
          image: WIRE,
          lastFrame: { bytesBase64Encoded: "Ynll", mimeType: "image/jpeg" },
        },
      ],
      parameters: { durationSeconds: 4 },
    });
    expect(of("vertex", SECOND, { media: [PICTURE, END] }).body).toMatchObject({
      instances: [{ image: WIRE }],
    });
    expect(refused("gemini", THIRD, { media: [PICTURE, END] })).toStartWith(
      "invalid_request | image | This model does not support a last frame",
    );
  });

  test("are up to three reference images, for eight seconds", () => {
    const image = { image: WIRE, referenceType: "asset" };

    expect(of("gemini", NEWEST, { media: [LOOK, LOOK, LOOK] }).body).toEqual({
      instances: [{ prompt: "a lake", referenceImages: [image, image, image] }],
      parameters: { durationSeconds: 8 },
    });
    expect(parameters("gemini", NEWEST, { media: [LOOK], seconds: 8 })).toEqual({
      durationSeconds: 8,
    });
    expect(refused("gemini", NEWEST, { media: [LOOK], seconds: 4 })).toBe(
      "invalid_request | duration | 'duration' must be 8.",
    );
  });

  test("are a video to extend, under each service's field names", () => {
    expect(of("gemini", NEWEST, { media: [CLIP] }).body).toMatchObject({
      instances: [{ video: { encodedVideo: "AAAA", encoding: "video/mp4" } }],
    });
    expect(of("vertex", NEWEST, { media: [CLIP] }).body).toMatchObject({
      instances: [{ video: { bytesBase64Encoded: "AAAA", mimeType: "video/mp4" } }],
    });
  });

  test("may be in the vendor's own storage", () => {
    const stored = { kind: "reference", id: "gs://ours/a.jpg" } as const;
    const media = [{ ...FIRST, source: stored }];

    expect(of("vertex", NEWEST, { media }).body).toMatchObject({
      instances: [{ image: { gcsUri: "gs://ours/a.jpg", mimeType: "image/jpeg" } }],
    });
    expect(refused("gemini", NEWEST, { media })).toStartWith("not_carried | image");
    const other = [{ ...FIRST, source: { kind: "reference", id: "file-1" } } as const];
    expect(refused("vertex", NEWEST, { media: other })).toStartWith("not_carried | image");
  });

  test("are downloaded by the gateway, since the vendor follows no links", () => {
    for (const provider of ["gemini", "vertex"]) {
      const { media } = rowFor(provider, question(NEWEST));
      expect(media).toEqual({ inlines: ["image", "video"], types: ["image/png", "image/jpeg"] });
      expect(refused(provider, NEWEST, { media: [FIRST] })).toStartWith("not_carried | image");
    }
  });

  test.each<[string, Said, string]>([
    ["no prompt and no image", { prompt: "" }, "prompt"],
    ["four reference images", { media: [LOOK, LOOK, LOOK, LOOK] }, "image"],
    ["a frame beside them", { media: [PICTURE, LOOK] }, "image"],
    ["a video beside them", { media: [CLIP, LOOK] }, "image"],
    ["a frame beside a video", { media: [PICTURE, CLIP] }, "image"],
    ["a last frame alone", { media: [LAST] }, "image"],
    ["two videos", { media: [CLIP, CLIP] }, "video"],
    ["a sound", { media: [SOUND] }, "audio"],
    ["a square", { ratio: "1:1" }, "ratio"],
    ["half a seed", { seed: 0.5 }, "seed"],
    ["five videos", { count: 5 }, "n"],
    ["an unknown option for people", { people: "some" }, "person_generation"],
  ])("%s is refused", (_what, said, param) => {
    expect(refused("vertex", NEWEST, said)).toStartWith(`invalid_request | ${param} |`);
  });

  test("do not include the source of a remix, which is refused", () => {
    expect(refused("gemini", NEWEST, { scenario: "remix" })).toStartWith("not_carried");
  });

  test("need no prompt beside an image", () => {
    expect(of("gemini", NEWEST, { prompt: "", media: [PICTURE] }).body).toMatchObject({
      instances: [{ image: WIRE }],
    });
  });
});

describe("the people option", () => {
  test.each<[string, string, Said, boolean]>([
    ["gemini", "allow_all", {}, true],
    ["gemini", "dont_allow", {}, false],
    ["gemini", "allow_all", { media: [PICTURE] }, false],
    ["gemini", "allow_adult", { media: [PICTURE] }, true],
    ["vertex", "dont_allow", {}, true],
    ["vertex", "ALLOW_ADULT", { media: [PICTURE] }, true],
  ])("at %s, %s with %p: %p", (provider, people, said, isTaken) => {
    if (isTaken) {
      expect(parameters(provider, NEWEST, { ...said, people })).toMatchObject({
        personGeneration: people.toLowerCase(),
      });
    } else {
      expect(refused(provider, NEWEST, { ...said, people })).toContain("person_generation");
    }
  });
});

test("the Gemini API makes one video per request", () => {
  expect(refused("gemini", NEWEST, { count: 2 })).toBe("invalid_request | n | 'n' must be 1.");
  expect(rowFor("gemini", question(NEWEST)).maxCount).toBe(1);
  expect(rowFor("vertex", question(NEWEST)).maxCount).toBe(4);
});

test("only the second generation supports a frame rate, and no prompt rewriting", () => {
  expect(parameters("vertex", SECOND, { framesPerSecond: 30, rewrite: false })).toEqual({
    durationSeconds: 5,
    sampleCount: 1,
    fps: 30,
    enhancePrompt: false,
  });
  expect(lost("vertex", NEWEST, { framesPerSecond: 30, rewrite: false })).toEqual([
    "fps",
    "prompt_extend",
  ]);
  expect(lost("vertex", NEWEST, { framesPerSecond: 24, rewrite: true })).toEqual([]);
});

test("a model's defaults are known before the request", () => {
  const expected = (provider: string, model: string, said: Said = {}) => {
    const { style, dialect } = rowFor(provider, question(model));
    return style.outbound.expect?.(question(model, said), dialect);
  };

  const usual = { seconds: 4, resolution: "720p", ratio: "16:9" };
  expect(expected("gemini", NEWEST)).toEqual({ ...usual, audio: true });
  expect(expected("vertex", NEWEST)).toEqual({ ...usual, audio: false });
  expect(expected("vertex", FAST, { audio: false })).toEqual({ ...usual, audio: true });
  expect(expected("vertex", SECOND, { seconds: 5 })).toEqual({
    ...usual,
    seconds: 5,
    audio: false,
  });
  expect(expected("vertex", NEWEST, { resolution: "4k", seconds: 4 })).toMatchObject({
    resolution: "720p",
  });
});

describe("an operation", () => {
  test("is polled by its name", () => {
    const { poll, linksNeedKey } = rowFor("gemini", question(NEWEST));
    const upstreamId = `models/${NEWEST}/operations/abc123`;

    expect(poll).toMatchObject({ method: "GET" });
    expect(poll.path(task(NEWEST, { upstreamId }))).toBe(`/${upstreamId}`);
    expect(linksNeedKey).toBe(true);
  });

  test("is polled below its model at the other service", () => {
    const { poll, linksNeedKey } = rowFor("vertex", question(NEWEST));
    const model = `projects/p1/locations/us-central1/publishers/google/models/${NEWEST}`;
    const ref = task(NEWEST, { upstreamId: `${model}/operations/0a-1b` });

    expect(poll.method).toBe("POST");
    expect(poll.path(ref)).toBe(`/v1/${model}:fetchPredictOperation`);
    expect(poll.body?.(ref)).toEqual({ operationName: `${model}/operations/0a-1b` });
    expect(linksNeedKey).toBeUndefined();
  });
});

describe("the vendor's own library", () => {
  type Params = Omit<GenerateVideosParameters, "model">;

  /** What it sends for the same question. */
  async function ofLibrary(isVertex: boolean, params: Params): Promise<[string, JsonObject]> {
    let seen: [string, JsonObject] = ["", {}];
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        const body = parseJson(await request.text());
        seen = [new URL(request.url).pathname, objectOf(body) ?? {}];
        return Response.json({ name: `models/${NEWEST}/operations/1` });
      },
    });
    const client = new GoogleGenAI({
      apiKey: "AIza-test",
      ...(isVertex && { vertexai: true }),
      httpOptions: { baseUrl: server.url.origin },
    });
    await client.models.generateVideos({ model: NEWEST, ...params });
    return seen;
  }

  const image = { imageBytes: "aGk=", mimeType: "image/png" };
  const cases: readonly (readonly [string, string, Said, Params])[] = [
    [
      "frames",
      "gemini",
      { media: [PICTURE, held("last_frame")], seconds: 8, resolution: "1080p", ratio: "16:9" },
      {
        source: { prompt: "a lake", image },
        config: {
          lastFrame: image,
          durationSeconds: 8,
          resolution: "1080p",
          aspectRatio: "16:9",
        },
      },
    ],
    [
      "reference images",
      "gemini",
      { media: [LOOK], negativePrompt: "fog", people: "allow_adult" },
      {
        source: { prompt: "a lake" },
        config: {
          referenceImages: [{ image, referenceType: "ASSET" as never }],
          negativePrompt: "fog",
          personGeneration: "allow_adult",
        },
      },
    ],
    [
      "video to extend",
      "gemini",
      { media: [CLIP] },
      { source: { prompt: "a lake", video: { videoBytes: "AAAA", mimeType: "video/mp4" } } },
    ],
    [
      "all supported options",
      "vertex",
      { seed: 5, audio: true, count: 2, seconds: 4, media: [PICTURE] },
      {
        source: { prompt: "a lake", image },
        config: { seed: 5, generateAudio: true, numberOfVideos: 2, durationSeconds: 4 },
      },
    ],
  ];
  test.each(cases)("sends the same request for %s at %s", async (_what, provider, said, params) => {
    const [path, body] = await ofLibrary(provider === "vertex", params);
    // What the vendor's own library leaves out, the vendor chooses.
    const { body: ours } = of(provider, NEWEST, { ...said, entry: "video-veo" });

    expect(path).toEndWith(`/models/${NEWEST}:predictLongRunning`);
    expect(lowered({ parameters: {}, ...body })).toEqual(lowered(ours));
  });

  /** It shouts some words that are taken in small letters as well. */
  function lowered(body: JsonObject): unknown {
    return JSON.parse(JSON.stringify(body).replaceAll('"ASSET"', '"asset"'));
  }
});

test("text models make no videos", () => {
  for (const provider of ["gemini", "vertex"]) {
    expect(() => rowFor(provider, question("gemini-3-pro"))).toThrow();
  }
  expect(vertex.videos).toHaveLength(6);
});
