import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, task } from "#test/video-request.ts";
import { jimengVideo } from "./index.ts";

const { parseSubmitted, parseTask, parseError } = jimengVideo.outbound;

function look(body: JsonObject, status = 200) {
  return parseTask(body, task("jimeng_t2v_v30"), status);
}

function done(data: JsonObject) {
  return look({ code: 10_000, data, message: "Success" });
}

describe("a Jimeng response", () => {
  test("has an id with more digits than a number can hold", () => {
    const body = {
      code: 10_000,
      data: { task_id: "7392616336519610409" },
      message: "Success",
      status: 10_000,
    };

    expect(parseSubmitted(body)).toBe("7392616336519610409");
  });

  test.each([
    [50_411, "content_filtered"],
    [50_511, "content_filtered"],
    [50_412, "content_filtered"],
    [50_512, "content_filtered"],
    [50_413, "content_filtered"],
    [50_516, "content_filtered"],
    [50_517, "content_filtered"],
    [50_518, "content_filtered"],
    [50_519, "content_filtered"],
    [50_520, "upstream_rejected"],
    [50_521, "upstream_rejected"],
    [50_522, "upstream_rejected"],
    [50_215, "upstream_rejected"],
    [50_400, "upstream_auth"],
    [30_403, "upstream_auth"],
    [30_404, "upstream_model_missing"],
    [50_429, "upstream_rate_limited"],
    [50_430, "upstream_rate_limited"],
    [50_500, "upstream_overloaded"],
    [50_501, "upstream_overloaded"],
  ])("with code %i is a failure, with any status: %s", (code, fault) => {
    const body = { code, data: null, message: "Input Text Risk Not Pass" };

    expect(failureOf(() => parseSubmitted(body))).toStartWith(fault);
    expect(parseError(400, JSON.stringify(body)).code).toBe(fault as "upstream_auth");
  });

  test("has the same code if that is text", () => {
    const data = { status: "done", video_url: "https://cdn.example/v.mp4" };

    expect(look({ code: "10000", data }).state).toBe("succeeded");
    expect(look({ code: "50511", data: null })).toMatchObject({
      failure: { code: "content_filtered" },
    });
    expect(failureOf(() => parseSubmitted({ code: "50430", data: null }))).toStartWith(
      "upstream_rate_limited",
    );
  });

  test("of the layer that checks signatures has a different form", () => {
    const refused = (Code: string) => ({
      ResponseMetadata: { RequestId: "1", Error: { CodeN: 1, Code, Message: "no" } },
    });
    const codeOf = (status: number, word: string) =>
      parseError(status, JSON.stringify(refused(word))).code;

    expect(codeOf(401, "SignatureDoesNotMatch")).toBe("upstream_auth");
    expect(codeOf(403, "RequestExpired")).toBe("upstream_auth");
    expect(codeOf(404, "InvalidActionOrVersion")).toBe("upstream_model_missing");
    expect(codeOf(429, "FlowLimitExceeded")).toBe("upstream_rate_limited");
    expect(codeOf(500, "InternalError")).toBe("upstream_overloaded");
    expect(failureOf(() => parseSubmitted(refused("InvalidAccessKey")))).toStartWith(
      "upstream_auth",
    );
  });

  test("without an id leaves the result unknown", () => {
    for (const data of [null, {}, { task_id: "" }, { task_id: 7.392e18 }]) {
      expect(failureOf(() => parseSubmitted({ code: 10_000, data }))).toStartWith(
        "upstream_failed",
      );
    }
  });

  test("in an unknown form is read by its status", () => {
    expect(parseError(502, "<html>").code).toBe("upstream_failed");
    expect(parseError(429, "").code).toBe("upstream_rate_limited");
    expect(parseError(400, '{"code":1,"message":"x"}').code).toBe("upstream_rejected");
    expect(parseError(500, '{"code":1,"message":"x"}').code).toBe("upstream_failed");
  });
});

describe("[B3.1] the state of a Jimeng task", () => {
  test.each([
    ["in_queue", { state: "queued" }],
    ["generating", { state: "running" }],
    ["a word of tomorrow", { state: "running" }],
    ["not_found", { state: "missing" }],
  ] as const)("%s", (status, update) => {
    expect(done({ status })).toEqual(update);
  });

  test("is failed if the vendor gave it up", () => {
    expect(done({ status: "expired" })).toMatchObject({
      state: "failed",
      failure: { code: "task_expired" },
    });
  });

  test("is done with a video, or without one", () => {
    const url = "https://cdn.test/v.mp4?x=1";
    const videos = [{ url }];

    expect(done({ status: "done", video_url: url })).toEqual({ state: "succeeded", videos });
    expect(done({ status: "done", video_url: "", video_urls: [url] })).toEqual({
      state: "succeeded",
      videos,
    });
    expect(done({ status: "done", video_url: "javascript:1" })).toEqual({
      state: "succeeded",
      videos: [],
    });
  });

  test.each([
    [400, 50_511, "content_filtered"],
    [400, 50_516, "content_filtered"],
    [429, 50_518, "content_filtered"],
    [500, 50_411, "content_filtered"],
    [400, 50_522, "50522"],
    [200, 50_215, "50215"],
    [400, 60_001, "60001"],
  ])("is failed by a code about it: status %i, code %i", (status, code, word) => {
    expect(look({ code, data: null, message: "Post Video Risk Not Pass" }, status)).toEqual({
      state: "failed",
      failure: { code: word, message: "Post Video Risk Not Pass" },
    });
  });

  test.each([
    [429, { code: 50_429 }, "upstream_rate_limited"],
    [429, { code: 50_430 }, "upstream_rate_limited"],
    [500, { code: 50_500 }, "upstream_overloaded"],
    [200, { code: 50_501 }, "upstream_overloaded"],
    [401, { code: 50_400 }, "upstream_auth"],
    [500, { code: 60_001 }, "upstream_failed"],
    [403, { ResponseMetadata: { Error: { Code: "RequestExpired" } } }, "upstream_auth"],
    [500, {}, "upstream_failed"],
    [200, {}, "upstream_failed"],
  ])("is unchanged if only the poll failed: status %i, %j", (status, body, fault) => {
    expect(failureOf(() => look(body, status))).toStartWith(fault);
  });
});
