import { describe, expect, test } from "bun:test";
import {
  CALLBACK,
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
  SOUND,
  task,
} from "#test/video-request.ts";

const HOUR_MS = 3_600_000;

describe("[B4.4] a request to Vidu", () => {
  test.each([
    ["text", [], "/ent/v2/text2video", undefined],
    ["first_frame", [FIRST], "/ent/v2/img2video", ["https://a.test/1.png"]],
    [
      "first_last",
      [FIRST, LAST],
      "/ent/v2/start-end2video",
      ["https://a.test/1.png", "https://a.test/2.png"],
    ],
    ["reference", [LOOK], "/ent/v2/reference2video", ["https://a.test/r.png"]],
    ["omni", [LOOK, LOOK], "/ent/v2/reference2video", Array(2).fill("https://a.test/r.png")],
  ] as const)("by %s has a separate address", (scenario, media, path, images) => {
    const sent = requestOf("vidu", "viduq2", { scenario, media: [...media] });

    expect(sent.path).toBe(path);
    expect(sent.body["images"]).toEqual(images as string[]);
  });

  test("has every supported field", () => {
    const sent = requestOf(
      "vidu",
      "viduq1",
      {
        seconds: 5,
        seed: 0,
        ratio: "1:1",
        resolution: "1080p",
        movement: "small",
        music: false,
        watermark: true,
        payload: "the caller's own",
        externalId: "the caller's own",
        extra: {
          "video-vidu": { style: "anime", off_peak: true, payload: "p", callback_url: "u" },
        },
      },
      CALLBACK,
    );

    expect(sent).toEqual({
      path: "/ent/v2/text2video",
      lost: [],
      body: {
        model: "viduq1",
        prompt: "a lake",
        duration: 5,
        seed: 0,
        aspect_ratio: "1:1",
        resolution: "1080p",
        movement_amplitude: "small",
        bgm: false,
        watermark: true,
        style: "anime",
        off_peak: true,
        callback_url: CALLBACK,
        payload: OUR_ID,
      },
    });
  });

  test("has the documented length, resolution and sound, and no other defaults", () => {
    expect(requestOf("vidu", "viduq3").body).toEqual({
      model: "viduq3",
      prompt: "a lake",
      duration: 5,
      resolution: "720p",
      audio: true,
      payload: OUR_ID,
    });
  });

  test("keeps an explicit false for a sound that a model makes by default", () => {
    expect(requestOf("vidu", "viduq3-pro", { audio: false }).body).toHaveProperty("audio", false);
    expect(requestOf("vidu", "viduq2", { audio: false }).body).not.toHaveProperty("audio");
  });

  test("has images without links as data URIs", () => {
    const media = [held("first_frame", "aGk=", "image/webp")];

    expect(requestOf("vidu", "viduq2", { scenario: "first_frame", media }).body["images"]).toEqual([
      "data:image/webp;base64,aGk=",
    ]);
  });

  test.each([
    ["viduq3", [1, 16], [0, 17]],
    ["viduq3-turbo", [1, 16], [17]],
    ["viduq2", [1, 10], [0, 11]],
    ["viduq2-pro-fast", [1, 10], [11]],
    ["viduq1", [5], [4, 6]],
    ["vidu2.0", [4, 8], [5, 6]],
    ["vidu1.5", [4, 8], [5]],
    ["vidu-of-tomorrow", [1, 99], [0.5]],
  ] as const)("to %s may have these lengths", (model, taken, refused) => {
    for (const seconds of taken) {
      expect(requestOf("vidu", model, { seconds }).body["duration"]).toBe(seconds);
    }
    for (const seconds of refused) {
      expect(refusalOf("vidu", model, { seconds })).toStartWith("invalid_request | duration |");
    }
  });

  test.each([
    ["viduq3", ["540p", "720p", "1080p"], "360p"],
    ["viduq2-turbo", ["540p", "720p", "1080p"], "4k"],
    ["viduq1", ["1080p"], "720p"],
    ["vidu2.0", ["360p", "720p", "1080p"], "540p"],
    ["vidu1.5", ["360p", "720p", "1080p"], "540p"],
  ] as const)("to %s may have these resolutions, in lower case", (model, taken, refused) => {
    for (const resolution of taken) {
      expect(requestOf("vidu", model, { resolution }).body["resolution"]).toBe(resolution);
    }
    expect(refusalOf("vidu", model, { resolution: refused })).toContain(
      taken.join(", ").slice(0, 4),
    );
  });

  test.each([
    ["viduq3", "4:3", true],
    ["viduq2", "3:4", true],
    ["viduq1", "4:3", false],
    ["vidu2.0", "1:1", true],
    ["viduq3", "21:9", false],
  ])("to %s may have the ratio %s: %p", (model, ratio, isTaken) => {
    expect(refusalOf("vidu", model, { ratio }) === undefined).toBe(isTaken);
  });

  test.each([
    ["viduq2", true],
    ["viduq2-pro", false],
    ["viduq2-turbo", false],
    ["viduq3", false],
    ["viduq1", false],
    ["vidu2.0", false],
  ])("to %s may have references: %p", (model, isTaken) => {
    const asked = { scenario: "reference", media: [LOOK] } as const;

    expect(refusalOf("vidu", model, asked) === undefined).toBe(isTaken);
  });

  test.each([
    [{ scenario: "reference", media: [] }, "image"],
    [{ scenario: "reference", media: Array(8).fill(LOOK) }, "image"],
    [{ scenario: "reference", media: [FIRST, LOOK] }, "image"],
    [{ scenario: "reference", media: [LOOK, CLIP] }, "video"],
    [{ scenario: "omni", media: [LOOK, SOUND] }, "audio"],
    [{ scenario: "reference", media: [LOOK], prompt: "" }, "prompt"],
    [{ scenario: "first_frame", media: [] }, "image"],
    [{ scenario: "first_frame", media: [FIRST, LAST] }, "image"],
    [{ scenario: "first_last", media: [FIRST] }, "image"],
    [{ scenario: "first_last", media: [FIRST, FIRST] }, "image"],
    [{ scenario: "text", media: [FIRST] }, "image"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: "x".repeat(5_001) }, "prompt"],
    [{ count: 3 }, "n"],
  ])("that the vendor would refuse is refused by the gateway: %j", (said, param) => {
    const asked = said as Parameters<typeof refusalOf>[2];

    expect(refusalOf("vidu", "viduq2", asked)).toStartWith(`invalid_request | ${param} |`);
  });

  test("cannot have an unknown style or movement", () => {
    const extra = { "video-vidu": { style: "cubist" } };

    expect(refusalOf("vidu", "viduq1", { extra })).toContain("'style' must be general or anime.");
    expect(refusalOf("vidu", "viduq1", { movement: "huge" })).toContain(
      "'movement_amplitude' must be auto, small, medium or large.",
    );
  });

  test("may omit the prompt if a frame suffices", () => {
    const asked = { scenario: "first_frame", media: [FIRST], prompt: "" } as const;

    expect(requestOf("vidu", "viduq2", asked).path).toBe("/ent/v2/img2video");
  });

  test("reports options without effect on a model", () => {
    const wishes = { movement: "large", music: true, audio: true, guidance: 0.5 } as const;
    const style = { "video-vidu": { style: "general" } };

    expect(requestOf("vidu", "viduq3", { ...wishes, extra: style }).lost.toSorted()).toEqual([
      "bgm",
      "cfg_scale",
      "movement_amplitude",
      "style",
    ]);
    expect(requestOf("vidu", "viduq2", wishes).lost.toSorted()).toEqual([
      "audio",
      "cfg_scale",
      "movement_amplitude",
    ]);
    expect(requestOf("vidu", "viduq1", wishes).lost.toSorted()).toEqual(["audio", "cfg_scale"]);
    const framed = { scenario: "first_frame", media: [FIRST], ratio: "16:9" } as const;
    expect(requestOf("vidu", "viduq2", framed).lost).toEqual(["ratio"]);
    expect(requestOf("vidu", "viduq2", { ...framed, ratio: "adaptive" }).lost).toEqual([]);
  });
});

describe("a Vidu task", () => {
  const row = rowFor("vidu", question("viduq2"));

  test("is polled and cancelled by its id, and found by its webhook", () => {
    const odd = task("viduq2", { upstreamId: "a/b" });

    expect(row.poll.path(task("viduq2"))).toBe("/ent/v2/tasks/77/creations");
    expect(row.poll.path(odd)).toBe("/ent/v2/tasks/a%2Fb/creations");
    expect(row.cancel?.path(task("viduq2"))).toBe("/ent/v2/tasks/77/cancel");
    expect(row.cancel?.body?.(task("viduq2"))).toEqual({ id: "77" });
    expect(row.webhooks?.idIn({ id: "77", state: "success" })).toBe("77");
    expect(row.webhooks?.idIn({ id: 77 })).toBeUndefined();
  });

  test("that waits for off-peak hours may take more than two days", () => {
    const patient = question("viduq2", { extra: { "video-vidu": { off_peak: true } } });

    expect(rowFor("vidu", patient).deadlineMs).toBe(49 * HOUR_MS);
    expect(row.deadlineMs).toBe(24 * HOUR_MS);
  });
});
