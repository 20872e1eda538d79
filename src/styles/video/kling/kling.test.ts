import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { failureOf, OUR_ID, task } from "#test/video-request.ts";
import { kling3Video } from "../kling3/index.ts";
import { klingVideo } from "./index.ts";

const first = klingVideo.outbound;
const newer = kling3Video.outbound;

function look(data: JsonObject) {
  return first.parseTask({ code: 0, message: "SUCCEED", data }, task("kling-v1"), 200);
}

function lookNewer(item: JsonObject) {
  const body = {
    code: 0,
    data: [
      { id: "12", status: "failed" },
      { id: "77", ...item },
    ],
  };
  return newer.parseTask(body, task("kling-3.0"), 200);
}

describe("a Kling response", () => {
  test("is an id, in either style", () => {
    const data = { task_id: "841200000000000001", task_status: "submitted" };

    expect(first.parseSubmitted({ code: 0, data })).toBe("841200000000000001");
    expect(newer.parseSubmitted({ code: 0, data: { id: "8730" } })).toBe("8730");
  });

  test.each([
    [401, 1_000, "upstream_auth"],
    [401, 1_001, "upstream_auth"],
    [401, 1_002, "upstream_auth"],
    [401, 1_003, "upstream_auth"],
    [401, 1_004, "upstream_auth"],
    [429, 1_100, "upstream_auth"],
    [429, 1_101, "upstream_auth"],
    [429, 1_102, "upstream_auth"],
    [403, 1_103, "upstream_model_missing"],
    [400, 1_200, "upstream_rejected"],
    [400, 1_201, "upstream_rejected"],
    [404, 1_202, "upstream_model_missing"],
    [404, 1_203, "upstream_model_missing"],
    [400, 1_300, "content_filtered"],
    [400, 1_301, "content_filtered"],
    [429, 1_302, "upstream_rate_limited"],
    [429, 1_303, "upstream_rate_limited"],
    [429, 1_304, "upstream_auth"],
    [500, 5_000, "upstream_failed"],
    [503, 5_001, "upstream_failed"],
    [504, 5_002, "upstream_timeout"],
  ])("with status %i and code %i is a failure: %s", (status, code, fault) => {
    const body = { code, message: "no", request_id: "r" };

    expect(first.parseError(status, JSON.stringify(body)).code).toBe(fault as "upstream_auth");
    for (const { parseSubmitted, parseTask } of [first, newer]) {
      expect(failureOf(() => parseSubmitted(body))).toStartWith(fault);
      expect(failureOf(() => parseTask(body, task("kling-v1"), 200))).toStartWith(fault);
    }
  });

  test.each([1_302, 1_303])(
    "with code %i has created nothing, so that another channel may be called",
    (code) => {
      const body = JSON.stringify({ code, message: "parallel task over resource pack limit" });

      expect(newer.parseError(429, body)).toEqual({
        code: "upstream_rate_limited",
        message: "parallel task over resource pack limit",
        vendor: {
          status: 429,
          code: String(code),
          reason: "parallel task over resource pack limit",
        },
      });
    },
  );

  test("in an unknown form is read by its status", () => {
    expect(first.parseError(502, "<html>").code).toBe("upstream_failed");
    expect(first.parseError(503, '{"code":9,"message":"x"}').code).toBe("upstream_overloaded");
    expect(failureOf(() => first.parseSubmitted({ code: 9 }))).toStartWith("upstream_failed");
  });

  test("without an id leaves the result unknown", () => {
    for (const data of [null, {}, { task_id: "" }, []]) {
      expect(failureOf(() => first.parseSubmitted({ code: 0, data }))).toStartWith(
        "upstream_failed",
      );
      expect(failureOf(() => newer.parseSubmitted({ code: 0, data }))).toStartWith(
        "upstream_failed",
      );
    }
  });
});

describe("[B3.1] the state of a task in the first style", () => {
  test.each([
    ["submitted", "queued"],
    ["processing", "running"],
    ["a word of tomorrow", "running"],
  ] as const)("%s is %s", (status, state) => {
    expect(look({ task_id: "77", task_status: status })).toEqual({ state });
  });

  test.each(["succeed", "succeeded"])("is done by the word %s", (word) => {
    const video = {
      id: "v-1",
      url: "https://cdn.test/v.mp4",
      watermark_url: "https://cdn.test/w.mp4",
      duration: "5.1",
    };

    expect(look({ task_status: word, task_result: { videos: [video] } })).toEqual({
      state: "succeeded",
      videos: [
        {
          url: "https://cdn.test/v.mp4",
          id: "v-1",
          watermarkedUrl: "https://cdn.test/w.mp4",
          seconds: 5.1,
        },
      ],
      facts: { seconds: 5 },
    });
  });

  test("is done without a video if none is found", () => {
    const results = [undefined, null, {}, { videos: [] }, { videos: [{ url: "" }, 7] }];
    for (const result of results) {
      const data = {
        task_status: "succeed",
        ...(result === undefined ? {} : { task_result: result }),
      };
      expect(look(data)).toEqual({ state: "succeeded", videos: [] });
    }
  });

  test("is failed with the vendor's reason, in a form for clients", () => {
    const reason = "Failure to pass the risk control system, see https://inner.corp/x";

    expect(look({ task_status: "failed", task_status_msg: reason })).toEqual({
      state: "failed",
      failure: {
        code: "task_failed",
        message: "Failure to pass the risk control system, see [link]",
      },
    });
  });

  test("is found by the gateway's id, and by no other", () => {
    const found = (data: JsonObject) => first.parseFound?.({ code: 0, data }, OUR_ID);
    const info = (id: string) => ({ task_info: { external_task_id: id } });

    expect(found({ task_id: "77", ...info(OUR_ID) })).toBe("77");
    expect(found({ task_id: "77" })).toBe("77");
    expect(found({ task_id: "77", ...info("another") })).toBeUndefined();
    expect(found({})).toBeUndefined();
  });
});

describe("[B2.6] the state of a task in the newer style", () => {
  test.each([
    ["submitted", "queued"],
    ["queued", "queued"],
    ["processing", "running"],
    ["a word of tomorrow", "running"],
  ] as const)("%s is %s", (status, state) => {
    expect(lookNewer({ status })).toEqual({ state });
  });

  test("is done with the videos among its outputs", () => {
    const outputs = [
      { type: "image", id: "i", url: "https://cdn.test/i.png" },
      {
        type: "video",
        id: "o-1",
        url: "https://cdn.test/v.mp4",
        watermark_url: "",
        duration: "5.041",
      },
    ];

    expect(lookNewer({ status: "succeeded", outputs })).toEqual({
      state: "succeeded",
      videos: [{ url: "https://cdn.test/v.mp4", id: "o-1", seconds: 5.041 }],
      facts: { seconds: 5 },
    });
    expect(lookNewer({ status: "succeeded" })).toEqual({ state: "succeeded", videos: [] });
  });

  test("is failed with the vendor's reason", () => {
    expect(lookNewer({ status: "failed", message: "no" })).toEqual({
      state: "failed",
      failure: { code: "task_failed", message: "no" },
    });
    expect(lookNewer({ status: "failed" })).toMatchObject({ failure: { code: "task_failed" } });
  });

  test("is missing if the list lacks it, and unknown without a list", () => {
    const ask = (data: JsonObject["data"]) => () =>
      newer.parseTask({ code: 0, ...(data === undefined ? {} : { data }) }, task("kling-3.0"), 200);

    expect(ask([])()).toEqual({ state: "missing" });
    expect(ask([{ id: "12", status: "succeeded" }, null])()).toEqual({ state: "missing" });
    expect(ask({ id: "77", status: "processing" })()).toEqual({ state: "running" });
    expect(failureOf(ask(undefined))).toStartWith("upstream_failed");
    expect(failureOf(ask("none"))).toStartWith("upstream_failed");
  });

  test("is found by the gateway's id, and by no other", () => {
    const found = (data: JsonObject["data"]) =>
      newer.parseFound?.({ code: 0, ...(data === undefined ? {} : { data }) }, OUR_ID);

    expect(
      found([
        { id: "12", external_id: "x" },
        { id: "77", external_id: OUR_ID },
      ]),
    ).toBe("77");
    expect(found([])).toBeUndefined();
    expect(found([{ id: "77" }])).toBeUndefined();
    expect(failureOf(() => found(undefined))).toStartWith("upstream_failed");
  });
});
