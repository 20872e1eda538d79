import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { GatewayError } from "#core/error.ts";
import type { OutboundVideoFormat, TaskUpdate } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { SEED, times } from "#test/seed.ts";
import { task } from "#test/video-request.ts";
import { placesIn, replaced } from "#test/odd-json.ts";
import { arkVideos } from "./ark/index.ts";
import { openaiVideos } from "./openai/index.ts";
import { veo } from "./veo/index.ts";
import { wan } from "./wan/index.ts";

/** A video that is done, as each vendor tells of it. */
const DONE: readonly (readonly [OutboundVideoFormat, JsonObject])[] = [
  [
    arkVideos,
    {
      id: "cgt-1",
      status: "succeeded",
      error: null,
      content: { video_url: "https://a.test/v.mp4", last_frame_url: "https://a.test/l.png" },
      usage: { completion_tokens: 9, tool_usage: { web_search: 1 } },
      resolution: "720p",
      duration: 5,
      seed: 1,
    },
  ],
  [
    openaiVideos,
    {
      id: "video_1",
      status: "completed",
      progress: 100,
      size: "720x1280",
      seconds: "4",
      expires_at: 1_767_272_500,
      metadata: { url: "https://a.test/v.mp4" },
      error: null,
    },
  ],
  [
    veo,
    {
      name: "models/m/operations/1",
      done: true,
      error: null,
      response: {
        generateVideoResponse: {
          generatedSamples: [{ video: { uri: "https://a.test/v.mp4", encoding: "video/mp4" } }],
          raiMediaFilteredCount: 1,
          raiMediaFilteredReasons: ["No."],
        },
        videos: [{ bytesBase64Encoded: "AAAA", mimeType: "video/mp4" }],
      },
    },
  ],
  [
    wan,
    {
      request_id: "1",
      output: {
        task_id: "1",
        task_status: "SUCCEEDED",
        video_url: "https://a.test/v.mp4?Expires=1",
        results: { video_url: "https://a.test/v.mp4" },
      },
      usage: { duration: 5, SR: 720, size: "1280*720", video_count: 1 },
      code: null,
    },
  ],
];

const WORDS =
  "queued running succeeded failed cancelled expired completed in_progress PENDING FAILED UNKNOWN";
const hostile: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, "", {}, [], [[]], [null], -1, 0, 1e308, Number.NaN, true),
  fc.constantFrom<Json>(
    "javascript:alert(1)",
    "https://",
    "https://a b",
    "\u0000",
    "x".repeat(9e3),
  ),
  fc.constantFrom<Json>(...WORDS.split(" ")),
  fc.jsonValue().map((value) => value as Json),
);

/** What is said of a task, whatever was answered. */
function holds(update: TaskUpdate): void {
  expect(["queued", "running", "succeeded", "failed"]).toContain(update.state);
  if (update.state === "failed") {
    expect(update.failure.code).toMatch(/^[\w.-]{1,64}$/);
    expect(update.failure.message.length).toBeGreaterThan(0);
    expect(update.failure.message.length).toBeLessThanOrEqual(1_000);
  }
  if (update.state !== "succeeded") return;
  for (const { url, lastFrameUrl = "https://" } of update.videos) {
    expect(url).toMatch(/^(https?:\/\/|$)/i);
    expect(lastFrameUrl).toMatch(/^https?:\/\//i);
  }
  const { linksEndAt = 1, facts = {}, usage } = update;
  expect(Number.isSafeInteger(linksEndAt) && linksEndAt > 0).toBe(true);
  expect(facts.seconds ?? 1).toBeGreaterThan(0);
  expect(Number.isFinite(facts.seconds ?? 1)).toBe(true);
  expect((usage?.outputTokens ?? 0) + (usage?.durationMs ?? 0)).toBeGreaterThanOrEqual(0);
}

function onlyOurErrors(act: () => void): void {
  try {
    act();
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    expect(cause.message).not.toContain("undefined");
  }
}

describe.each(DONE.map(([format, body]) => [format.id, format, body] as const))(
  "%s",
  (_id, { outbound }, done) => {
    test("reads a finished video", () => {
      const update = outbound.parseTask(done, task("m"), 200);

      expect(update).toMatchObject({ state: "succeeded", videos: [{}] });
      holds(update);
    });

    test("reads or refuses a body with one odd value", () => {
      const places = placesIn(done).filter((path) => path.length > 0);
      fc.assert(
        fc.property(fc.constantFrom(...places), hostile, (path, by) => {
          const odd = replaced(done, path, by);
          if (!isObject(odd)) return;
          onlyOurErrors(() => holds(outbound.parseTask(odd, task("m"), 200)));
          onlyOurErrors(() => expect(outbound.parseSubmitted(odd)).not.toBe(""));
          onlyOurErrors(() => void outbound.parseContent?.(odd, 0));
        }),
        { seed: SEED, numRuns: times(500, 20_000) },
      );
    });

    test("accepts any JSON without an exception", () => {
      fc.assert(
        fc.property(fc.dictionary(fc.string(), hostile), hostile, (body, error) => {
          for (const odd of [body, { ...body, error }, { output: error, status: error }]) {
            onlyOurErrors(() => holds(outbound.parseTask(odd, task("m"), 200)));
            onlyOurErrors(() => expect(outbound.parseSubmitted(odd)).not.toBe(""));
          }
          expect(outbound.parseError(500, JSON.stringify(body)).message).not.toBe("");
        }),
        { seed: SEED, numRuns: times(300, 10_000) },
      );
    });
  },
);
