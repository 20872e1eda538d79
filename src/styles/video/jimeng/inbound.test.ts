import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { aTask, linksTo, STATUSES } from "#test/a-task.ts";
import { refusalOf } from "#test/refusal.ts";
import { jimengVideo } from "./index.ts";

const { inbound } = jimengVideo;
const read = (body: JsonObject) => inbound.read({ req_key: "m", prompt: "a fox", ...body }, {});
const LINK = "https://pictures.example/1.png";

describe("[B4.3] a request of protocol B", () => {
  test("has options in its own fields", () => {
    expect(read({ seed: 7, aspect_ratio: "9:16", frames: 241 })).toEqual({
      model: "m",
      scenario: "text",
      prompt: "a fox",
      media: [],
      seed: 7,
      ratio: "9:16",
      frames: 241,
    });
  });

  test.each<[string, JsonObject, string, object]>([
    ["a link", { image: LINK }, "first_frame", { kind: "url", url: LINK }],
    ["base64", { image: "aGk=" }, "first_frame", { kind: "base64", base64: "aGk=" }],
    [
      "a data URI",
      { image: "data:image/png;base64,aGk=" },
      "first_frame",
      { kind: "base64", base64: "aGk=", mediaType: "image/png" },
    ],
    ["a list of links", { image_urls: [LINK] }, "first_frame", { kind: "url", url: LINK }],
    ["a list of bytes", { binary_data_base64: ["aGk="] }, "first_frame", { base64: "aGk=" }],
  ])("has a first frame as %s", (_how, body, role, source) => {
    expect(read(body)).toMatchObject({ scenario: "first_frame", media: [{ role, source }] });
  });

  test("has a last frame beside it, and more images as references", () => {
    const roles = (count: number) =>
      read({ image_urls: Array<string>(count).fill(LINK) }).media.map(({ role }) => role);

    expect(roles(2)).toEqual(["first_frame", "last_frame"]);
    expect(roles(3)).toEqual(["reference", "reference", "reference"]);
    expect(read({ image: LINK, image_urls: [LINK] }).scenario).toBe("first_last");
  });

  test("omits empty values", () => {
    expect(read({ seed: -1, image: "", aspect_ratio: "", callback_url: "", frames: null })).toEqual(
      { model: "m", scenario: "text", prompt: "a fox", media: [] },
    );
  });

  test("sends other fields to the same vendor, and a callback address of the gateway only", () => {
    const asked = read({ template_id: "t", callback_url: "https://caller.example/" });

    expect(asked.extra).toEqual({ "video-jimeng": { template_id: "t" } });
    expect(asked.callbackUrl).toBe("https://caller.example/");
  });

  test.each<[JsonObject, string]>([
    [{ req_key: null }, "req_key: 'req_key' is required."],
    [{ req_key: "" }, "req_key: 'req_key' must be"],
    [{ image_urls: LINK }, "image_urls: 'image_urls' must be"],
    [{ image_urls: [""] }, "image_urls[0]: 'image_urls[0]' must be"],
    [{ image_urls: Array<string>(17).fill(LINK) }, "image_urls: 'image_urls' must"],
    [{ image: " " }, "image: 'image' is empty."],
    [{ image: "data:image/png,hi" }, "image: 'image' holds a data URI"],
    [{ frames: 0 }, "frames: 'frames' must be"],
    [{ frames: "121" }, "frames: 'frames' must be"],
    [{ seed: 1.5 }, "seed: 'seed' must be"],
    [{ prompt: { toString: "a" } }, "prompt: 'prompt' must be"],
  ])("with %j is refused with an explanation", (body, refusal) => {
    expect(refusalOf(() => read(body))).toStartWith(refusal);
  });
});

describe("[B2.3] a response of protocol B", () => {
  test("to a submission has the task's id as text, in an envelope with the request's id", () => {
    const answer = inbound.writeSubmitted(aTask());

    expect(inbound.withRequestId?.(answer, "r-1")).toEqual({
      code: 10_000,
      message: "Success",
      data: { task_id: "task_1" },
      request_id: "r-1",
    });
  });

  test("[B3.1] has every state in its own words, with the code for success", () => {
    const told = STATUSES.map((status) => {
      const { code, data } = inbound.writeTask(aTask({ status }), linksTo());
      return { code, data };
    });

    const word = (status: string) => ({ code: 10_000, data: { task_id: "task_1", status } });
    expect(told).toEqual(
      ["PENDING", "PENDING", "PENDING", "RUNNING", "SUCCESS", "FAILED"].map(word),
    );
  });

  test("has the video's link, or the reason for its absence", () => {
    const failure = { code: "content_filtered", message: "It may be sensitive." };
    const video = { url: "https://videos.example/1.mp4" };

    expect(inbound.writeTask(aTask({ status: "succeeded" }), linksTo(video))).toEqual({
      code: 10_000,
      message: "Success",
      data: { task_id: "task_1", status: "SUCCESS", video_url: video.url },
    });
    expect(inbound.writeTask(aTask({ status: "failed", failure }), linksTo())).toMatchObject({
      message: "It may be sensitive.",
      data: { status: "FAILED" },
    });
  });

  test.each([
    ["invalid_request", 50_215],
    ["content_filtered", 50_412],
    ["unauthenticated", 50_400],
    ["out_of_quota", 50_400],
    ["model_not_found", 30_404],
    ["rate_limited", 50_429],
    ["upstream_rate_limited", 50_429],
    ["upstream_failed", 50_501],
    ["internal", 50_500],
  ] as const)("[B7] has a code for %s", (fault, code) => {
    expect(inbound.buildError(new GatewayError(fault, "Why not."))).toEqual({
      code,
      message: "Why not.",
      data: null,
    });
  });
});
