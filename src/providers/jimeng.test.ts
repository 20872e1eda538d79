import { describe, expect, test } from "bun:test";
import type { Signable } from "#core/authorize.ts";
import {
  CLIP,
  FIRST,
  held,
  LAST,
  LOOK,
  OUR_ID,
  question,
  refusalOf,
  requestOf,
  rowFor,
  task,
} from "#test/video-request.ts";
import { jimeng } from "./jimeng.ts";

const ASKED: Signable = {
  method: "POST",
  url: new URL("https://visual.volcengineapi.com/?Action=CVSync2AsyncGetResult&Version=2022-08-31"),
  headers: { host: "visual.volcengineapi.com", "content-type": "application/json" },
  body: '{"req_key":"jimeng_vgfm_t2v_l20","task_id":"abc"}',
  options: {},
  at: Date.UTC(2024, 0, 15, 12),
};

describe("a Jimeng credential", () => {
  test.each([
    ["two halves", "AKTEST|SKTEST"],
    ["two halves as JSON", '{"access_key":"AKTEST","secret_key":"SKTEST"}'],
  ])("signs if it is %s", (_what, secret) => {
    const headers = jimeng.authorize(secret, ASKED) as Record<string, string>;

    expect(headers["authorization"]).toEndWith(
      "Signature=5cbe194cc35a9fe8a0dcf34cbfc8f10d2c989caa3059aa6fe4f186977c0fef7a",
    );
    expect(headers["authorization"]).toContain("/20240115/cn-north-1/cv/request,");
    expect(JSON.stringify(headers)).not.toContain("SKTEST");
  });

  test("may have a session token", () => {
    for (const secret of [
      "AK|SK|TOKEN",
      '{"access_key":"AK","secret_key":"SK","session_token":"TOKEN"}',
    ]) {
      expect(jimeng.authorize(secret, ASKED)).toHaveProperty("x-security-token", "TOKEN");
    }
  });

  test("is sent unchanged if it is that of a gateway in between", () => {
    expect(jimeng.authorize("sk-other", ASKED)).toEqual({ authorization: "Bearer sk-other" });
  });

  test.each(["{", "{}", '{"access_key":"AK"}', '{"access_key":"AK","secret_key":7}'])(
    "that is malformed is the operator's error: %s",
    (secret) => {
      expect(() => jimeng.authorize(secret, ASKED)).toThrow("malformed");
    },
  );
});

describe("a request to Jimeng", () => {
  test("has its action in the query, below the channel's address", () => {
    const { path } = requestOf("jimeng", "jimeng_v30");

    expect(path).toBe("?Action=CVSync2AsyncSubmitTask&Version=2022-08-31");
    expect(new URL("https://visual.volcengineapi.com" + path).pathname).toBe("/");
    expect(new URL("https://gateway.test/videob" + path).pathname).toBe("/videob");
  });

  test.each([
    ["jimeng_v30", "jimeng_t2v_v30", "jimeng_i2v_first_v30", "jimeng_i2v_first_tail_v30"],
    [
      "jimeng_v30_1080p",
      "jimeng_t2v_v30_1080p",
      "jimeng_i2v_first_v30_1080",
      "jimeng_i2v_first_tail_v30_1080",
    ],
  ])("has a model chosen by the media for %s", (model, words, frame, frames) => {
    const key = (said: object) => requestOf("jimeng", model, said).body["req_key"];

    expect(key({})).toBe(words);
    expect(key({ scenario: "first_frame", media: [FIRST] })).toBe(frame);
    expect(key({ scenario: "first_last", media: [FIRST, LAST] })).toBe(frames);
  });

  test.each([
    "jimeng_t2v_v30",
    "jimeng_t2v_v30_1080p",
    "jimeng_vgfm_t2v_l20",
    "jimeng_ti2v_v30_pro",
    "jimeng_of_tomorrow",
  ])("to %s has its own model name", (model) => {
    expect(requestOf("jimeng", model).body).toEqual({ req_key: model, prompt: "a lake" });
  });

  test.each([
    ["jimeng_i2v_first_v30", 1],
    ["jimeng_i2v_first_v30_1080", 1],
    ["jimeng_i2v_first_tail_v30", 2],
    ["jimeng_i2v_first_tail_v30_1080", 2],
    ["jimeng_vgfm_i2v_l20", 1],
    ["jimeng_ti2v_v30_pro", 1],
    ["jimeng_v30_pro", 1],
  ])("to %s has %i frames, as links", (model, count) => {
    const scenario = count === 1 ? "first_frame" : "first_last";
    const { body } = requestOf("jimeng", model, {
      scenario,
      media: [FIRST, LAST].slice(0, count),
    });

    expect(body["req_key"]).toBe(model.replace("jimeng_v30_pro", "jimeng_ti2v_v30_pro"));
    expect(body["image_urls"]).toEqual(
      ["https://a.test/1.png", "https://a.test/2.png"].slice(0, count),
    );
    expect(body).not.toHaveProperty("binary_data_base64");
  });

  test.each([
    ["jimeng_i2v_first_v30", "text", []],
    ["jimeng_t2v_v30", "first_frame", [FIRST]],
    ["jimeng_i2v_first_v30", "first_last", [FIRST, LAST]],
    ["jimeng_v30_pro", "first_last", [FIRST, LAST]],
    ["jimeng_v30", "reference", [LOOK]],
    ["jimeng_v30", "text", [FIRST]],
    ["jimeng_v30", "first_last", [LAST]],
    ["jimeng_v30", "first_frame", [FIRST, CLIP]],
  ] as const)("to %s cannot have other images: %s", (model, scenario, media) => {
    expect(refusalOf("jimeng", model, { scenario, media: [...media] })).toMatch(
      /\| (image|video) \|/,
    );
  });

  test("has images without links as plain base64", () => {
    const { body } = requestOf("jimeng", "jimeng_v30", {
      scenario: "first_last",
      media: [held("first_frame", "Zmlyc3Q="), held("last_frame", "bGFzdA==")],
    });

    expect(body["binary_data_base64"]).toEqual(["Zmlyc3Q=", "bGFzdA=="]);
    expect(body).not.toHaveProperty("image_urls");
  });

  test("has its links downloaded if another image has none", () => {
    const mixed = question("jimeng_v30", {
      scenario: "first_last",
      media: [FIRST, held("last_frame")],
    });
    const linked = { ...mixed, media: [FIRST, LAST] };

    expect(rowFor("jimeng", mixed).media.inlines).toEqual(["image"]);
    expect(rowFor("jimeng", linked).media.inlines).toEqual([]);
  });

  test.each([
    [{ seconds: 5 }, 121],
    [{ seconds: 10 }, 241],
    [{ frames: 121 }, 121],
    [{ frames: 241 }, 241],
    [{}, undefined],
  ])("has its length in frames: %j", (said, frames) => {
    expect(requestOf("jimeng", "jimeng_v30", said).body["frames"]).toBe(frames as number);
  });

  test.each([
    ["jimeng_v30", { seconds: 6 }, "duration"],
    ["jimeng_v30", { seconds: 4.5 }, "duration"],
    ["jimeng_v30", { frames: 120 }, "frames"],
    ["jimeng_vgfm_t2v_l20", { seconds: 10 }, "duration"],
    ["jimeng_v30", { prompt: "x".repeat(801) }, "prompt"],
    ["jimeng_v30", { prompt: " " }, "prompt"],
    ["jimeng_v30", { resolution: "1080p" }, "resolution"],
    ["jimeng_v30_1080p", { size: "1280x720" }, "resolution"],
    ["jimeng_v30", { ratio: "2:1" }, "ratio"],
    ["jimeng_v30", { size: "1000x9" }, "size"],
    ["jimeng_v30", { count: 2 }, "n"],
  ])("is refused for options that %s does not support: %j", (model, said, param) => {
    expect(refusalOf("jimeng", model, said)).toStartWith(`invalid_request | ${param} | `);
  });

  test("has a ratio for text-only videos, from either form of the option", () => {
    expect(requestOf("jimeng", "jimeng_v30", { size: "720x1280", seed: -1 }).body).toEqual({
      req_key: "jimeng_t2v_v30",
      prompt: "a lake",
      seed: -1,
      aspect_ratio: "9:16",
    });
  });

  test("reports unsupported options", () => {
    const wishes = {
      ratio: "16:9",
      watermark: true,
      audio: true,
      music: false,
      negativePrompt: "fog",
      scenario: "first_frame",
      media: [FIRST],
      extra: { "video-vidu": { style: "anime" }, "video-jimeng": { camera_strength: "weak" } },
    } as const;

    expect(requestOf("jimeng", "jimeng_v30", wishes).lost.toSorted()).toEqual([
      "audio",
      "camera_strength",
      "negative_prompt",
      "ratio",
      "style",
      "watermark",
    ]);
  });

  test("has a camera movement for the one model that supports it", () => {
    const said = (extra: Record<string, string>) => ({
      scenario: "first_frame" as const,
      media: [FIRST],
      extra: { "video-jimeng": extra },
    });
    const moves = { template_id: "hitchcock_dolly_in", camera_strength: "strong" };

    expect(requestOf("jimeng", "jimeng_i2v_recamera_v30", said(moves)).body).toMatchObject(moves);
    expect(refusalOf("jimeng", "jimeng_i2v_recamera_v30", said({}))).toContain("template_id");
    expect(
      refusalOf("jimeng", "jimeng_i2v_recamera_v30", said({ ...moves, camera_strength: "mad" })),
    ).toContain("'camera_strength' must be weak, medium or strong.");
  });

  test("cannot be a remix", () => {
    expect(
      refusalOf("jimeng", "jimeng_v30", {
        scenario: "remix",
        source: { id: OUR_ID, upstreamId: "1" },
      }),
    ).toStartWith("not_carried | video_id");
  });
});

describe("a Jimeng task", () => {
  test("is polled and cancelled under its model's name", () => {
    const { poll, cancel } = rowFor("jimeng", question("jimeng_v30_1080p"));
    const ours = task("jimeng_v30_1080p", { scenario: "first_last" });
    const about = { req_key: "jimeng_i2v_first_tail_v30_1080", task_id: "77" };

    expect(poll.method).toBe("POST");
    expect(poll.path(ours)).toBe("?Action=CVSync2AsyncGetResult&Version=2022-08-31");
    expect(poll.body?.(ours)).toEqual(about);
    expect(cancel?.path(ours)).toBe("?Action=CVCancelTask&Version=2022-08-31");
    expect(cancel?.body?.(ours)).toEqual(about);
  });

  test("of an unknown model is polled under that model's name", () => {
    const { poll } = rowFor("jimeng", question("jimeng_of_tomorrow"));

    expect(poll.body?.(task("jimeng_of_tomorrow"))).toEqual({
      req_key: "jimeng_of_tomorrow",
      task_id: "77",
    });
  });
});
