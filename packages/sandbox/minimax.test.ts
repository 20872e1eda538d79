import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import type { Json, JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, openReceiver, type ClockedSandbox } from "./testing/tasks.ts";

const LINK = "https://a.example/a.png";
const text = (words: string): JsonObject => ({ type: "text", text: words });
const image = (role?: string, url = LINK): JsonObject => ({
  type: "image_url",
  image_url: { url },
  ...(role === undefined ? {} : { role }),
});
const video: JsonObject = { type: "video_url", video_url: { url: LINK }, role: "reference_video" };
const audio: JsonObject = { type: "audio_url", audio_url: { url: LINK }, role: "reference_audio" };

/** The one caller of these tests. */
function caller(simulator: ClockedSandbox) {
  const one = {
    order: (content: readonly Json[], more: JsonObject = {}) =>
      simulator.call("POST", "/minimax/v2/video_generation", {
        model: "MiniMax-H3",
        content,
        resolution: "768P",
        duration: 4,
        ratio: "16:9",
        ...more,
      }),
    read: (id: string, authorization = "Bearer sk-test") =>
      simulator.call("GET", `/minimax/v2/query/video_generation/${id}`, undefined, {
        authorization,
      }),
    async finished(content: readonly Json[], more?: JsonObject) {
      const id = textAt((await one.order(content, more)).body, "task_id");
      simulator.wait(1_300);
      return asObject(at((await one.read(id)).body, "task"));
    },
    orderOld: (body: JsonObject) =>
      simulator.call("POST", "/minimax/v1/video_generation", {
        model: "MiniMax-Hailuo-2.3",
        prompt: "a cat",
        ...body,
      }),
    readOld: async (id: string) =>
      asObject(
        (await simulator.call("GET", `/minimax/v1/query/video_generation?task_id=${id}`)).body,
      ),
    file: async (id: string) =>
      asObject((await simulator.call("GET", `/minimax/v1/files/retrieve?file_id=${id}`)).body),
  };
  return one;
}

describe("a task", () => {
  test("is queued, runs and has succeeded, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const created = await order([text("a cat"), image()], { resolution: "2K", ratio: null });
    const id = textAt(created.body, "task_id");
    const common = {
      id,
      model: "MiniMax-H3",
      created_at: 1_767_268_800,
      resolution: "2K",
      duration: 4,
      ratio: "16:9",
      task_type: "generation",
      modality: "video",
    };
    const said = async () => (await read(id)).body;

    expect(created).toEqual({
      status: 200,
      body: { task_id: expect.stringMatching(/^\d{15}$/) },
    });
    expect(await said()).toEqual({
      task: { ...common, status: "queued", updated_at: 1_767_268_800, usage: {} },
    });
    simulator.wait(300);
    expect(await said()).toMatchObject({ task: { status: "running" } });
    simulator.wait(1_000);
    expect(await said()).toEqual({
      task: {
        ...common,
        status: "succeeded",
        updated_at: 1_767_268_801,
        content: { url: expect.stringContaining(`/minimax/files/${id}/video.mp4?`) },
        usage: {
          total_seconds: 4,
          input_seconds: 0,
          output_seconds: 4,
          input_image_count: 1,
          input_audio_seconds: 0,
          total_tokens: expect.any(Number),
          prompt_tokens: expect.any(Number),
          completion_tokens: 208_312,
        },
      },
    });
  });

  test.each([
    ["[1027]", { status: "failed", error: { code: "1027", message: "output new_sensitive" } }],
    ["[moderate]", { status: "failed", error: { code: "1027" } }],
    ["[fail]", { status: "failed", error: { code: "1013" } }],
    ["[expire]", { status: "expired" }],
    ["[cancel]", { status: "cancelled" }],
    ["[stuck]", { status: "running" }],
  ])("%s", async (mark, outcome) => {
    await using simulator = await clockedSandbox();
    const task = await caller(simulator).finished([text(`a cat ${mark}`)]);

    expect(task).toMatchObject(outcome);
    expect([task["content"], task["usage"]]).toEqual([undefined, {}]);
  });

  test("counts its input media", async () => {
    await using simulator = await clockedSandbox();
    const content = [text("a cat"), image("reference_image"), video, video, audio];

    expect((await caller(simulator).finished(content))["usage"]).toMatchObject({
      total_seconds: 14,
      input_seconds: 10,
      output_seconds: 4,
      input_image_count: 1,
      input_audio_seconds: 5,
    });
  });

  test("is shown only to its owner, for seven days", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const id = textAt((await order([text("a cat")])).body, "task_id");
    const other = await read(id, "Bearer sk-other");
    simulator.wait(604_800_000);

    expect(other).toMatchObject({ status: 404, body: { error: { http_code: "404" } } });
    expect((await read(id)).status).toBe(404);
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const { order } = caller(simulator);
    const lost = await order([text("[timeout]")]);
    const next = await order([text("a cat")]);

    expect(lost).toMatchObject({ status: 504, body: { error: { type: "api_error" } } });
    expect(next).toMatchObject({ status: 429, body: { error: { type: "rate_limit_error" } } });
  });

  testWithFfmpeg(
    "makes a video as requested, with sound, that is available for a day",
    async () => {
      await using simulator = await clockedSandbox();
      const { finished } = caller(simulator);
      const adaptive = { ratio: "adaptive" };
      const wide = await finished([text("a cat")], { ratio: "21:9", duration: 5 });
      const shaped = await finished([text("x"), image("first_frame", pngUrl(400, 500))], adaptive);
      const url = textAt(wide, "content", "url");
      const files = [url, textAt(shaped, "content", "url")].map(async (each) =>
        (await probe(await (await fetch(each)).bytes(), "width,height,nb_frames")).split("\n"),
      );

      expect(
        (await Promise.all(files)).map(([film, sound]) => [film, sound !== undefined]),
      ).toEqual([
        ["1792|768|120", true],
        ["768|1024|96", true],
      ]);
      expect(shaped["ratio"]).toBe("3:4");
      simulator.wait(86_400_000);
      expect((await fetch(url)).status).toBe(403);
    },
  );
});

describe("refused in the vendor's envelope", () => {
  const words = text("a cat");
  const refused: [string, readonly Json[], JsonObject, string][] = [
    ["another model", [words], { model: "MiniMax-H2" }, "400 invalid_request_error"],
    ["no content", [], {}, "400 invalid_request_error"],
    ["no text", [image()], {}, "400 invalid_request_error"],
    ["a text with a role", [{ ...words, role: "user" }], {}, "400 invalid_request_error"],
    ["an empty text", [text(" ")], {}, "400 invalid_request_error"],
    [
      "7001 characters",
      [text("x".repeat(4_000)), text("x".repeat(3_000))],
      {},
      "400 invalid_request_error",
    ],
    ["two payloads", [{ ...words, image_url: { url: LINK } }], {}, "400 invalid_request_error"],
    [
      "ten images",
      [words, ...Array<Json>(10).fill(image("reference_image"))],
      {},
      "400 invalid_request_error",
    ],
    ["four videos", [words, video, video, video, video], {}, "400 invalid_request_error"],
    ["four audios", [words, video, audio, audio, audio, audio], {}, "400 invalid_request_error"],
    ["an audio alone", [words, audio], {}, "400 invalid_request_error"],
    ["an end alone", [words, image("last_frame")], {}, "400 invalid_request_error"],
    [
      "two beginnings",
      [words, image("first_frame"), image("first_frame")],
      {},
      "400 invalid_request_error",
    ],
    ["two images without a role", [words, image(), image()], {}, "400 invalid_request_error"],
    [
      "frames and references",
      [words, image("first_frame"), image("reference_image")],
      {},
      "400 invalid_request_error",
    ],
    ["a frame and a video", [words, image(), video], {}, "400 invalid_request_error"],
    [
      "a video without a role",
      [words, { type: "video_url", video_url: { url: LINK } }],
      {},
      "400 invalid_request_error",
    ],
    ["another role", [words, image("middle_frame")], {}, "400 invalid_request_error"],
    ["no link", [words, image("first_frame", "a.png")], {}, "400 invalid_request_error"],
    ["no resolution", [words], { resolution: null }, "400 invalid_request_error"],
    ["small letters", [words], { resolution: "768p" }, "400 invalid_request_error"],
    ["three seconds", [words], { duration: 3 }, "400 invalid_request_error"],
    ["16 seconds", [words], { duration: 16 }, "400 invalid_request_error"],
    ["seconds as a text", [words], { duration: "5" }, "400 invalid_request_error"],
    ["no ratio beside words alone", [words], { ratio: null }, "400 invalid_request_error"],
    [
      "an open ratio beside words alone",
      [words],
      { ratio: "adaptive" },
      "400 invalid_request_error",
    ],
    ["bad words", [text("[1026]")], {}, "400 invalid_request_error"],
    ["no money", [text("[1008]")], {}, "402 insufficient_balance"],
    ["too much", [text("[1002]")], {}, "429 rate_limit_error"],
    ["broken", [text("[1013]")], {}, "500 api_error"],
    ["a fault that was ordered", [text("[[fault:status code=429]]")], {}, "429 rate_limit_error"],
  ];
  test.each(refused)("%s", async (_what, content, more, expected) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).order(content, more);

    expect(`${status} ${textAt(body, "error", "type")}`).toBe(expected);
    expect(body).toEqual({
      type: "error",
      error: { type: expect.any(String), message: expect.any(String), http_code: String(status) },
      request_id: expect.any(String),
    });
  });

  test.each(["", "Token sk-right", "Bearer sk-wrong"])(
    "the credential %j",
    async (authorization) => {
      await using simulator = await clockedSandbox({ apiKeys: ["sk-right"] });

      expect(await caller(simulator).read("1", authorization)).toMatchObject({
        status: 401,
        body: { error: { type: "authentication_error" } },
      });
    },
  );
});

describe("the older version", () => {
  test("has more states, and refers to the video by a file", async () => {
    await using simulator = await clockedSandbox();
    const { orderOld, readOld, file } = caller(simulator);
    const ok = { base_resp: { status_code: 0, status_msg: "success" } };
    const { body } = await orderOld({});
    const id = textAt(body, "task_id");
    const states: string[] = [];
    for (const ms of [0, 150, 150, 1_000]) {
      simulator.wait(ms);
      states.push(textAt(await readOld(id), "status"));
    }
    const done = await readOld(id);
    const found = await file(textAt(done, "file_id"));
    const url = textAt(found, "file", "download_url");
    const bytes = await (await fetch(url)).bytes();
    simulator.wait(9 * 3_600_000);

    expect(body).toEqual({ task_id: expect.stringMatching(/^\d{15}$/), ...ok });
    expect(states).toEqual(["Preparing", "Queueing", "Processing", "Success"]);
    expect(done).toMatchObject({ task_id: id, video_width: 1_366, video_height: 768, ...ok });
    expect(found).toMatchObject({
      file: { bytes: bytes.length, purpose: "video_generation", filename: "output.mp4" },
      ...ok,
    });
    expect((await fetch(url)).status).toBe(403);
  });

  test.each([
    ["[1027]", 1_027],
    ["[fail]", 1_013],
  ])("with %s fails with the status 200", async (mark, code) => {
    await using simulator = await clockedSandbox();
    const { orderOld, readOld, file } = caller(simulator);
    const { body } = await orderOld({ prompt: `x ${mark}` });
    simulator.wait(1_300);
    const done = await readOld(textAt(body, "task_id"));

    expect(done).toMatchObject({ status: "Fail", file_id: "", base_resp: { status_code: code } });
    expect(await file("7")).toMatchObject({ base_resp: { status_code: 2_013 } });
  });

  const refused: [string, JsonObject, number][] = [
    ["another model", { model: "MiniMax-H3" }, 2_013],
    ["no words", { prompt: "" }, 2_013],
    ["2001 characters", { prompt: "x".repeat(2_001) }, 2_013],
    ["seven seconds", { duration: 7 }, 2_013],
    ["ten seconds in the most detail", { duration: 10, resolution: "1080P" }, 2_013],
    ["ten seconds of the first", { model: "T2V-01", duration: 10 }, 2_013],
    ["the resolution of another", { resolution: "720P" }, 2_013],
    [
      "the lowest resolution without an image",
      { model: "MiniMax-Hailuo-02", resolution: "512P" },
      2_013,
    ],
    ["no picture", { model: "I2V-01" }, 2_013],
    ["a person reference without an image", { model: "S2V-01" }, 2_013],
    ["an end that it does not know", { first_frame_image: LINK, last_frame_image: LINK }, 2_013],
    ["a small image", { first_frame_image: pngUrl(299, 400) }, 2_013],
    [
      "two people",
      { model: "S2V-01", subject_reference: [{ type: "character", image: [LINK, LINK] }] },
      2_013,
    ],
    ["bad words", { prompt: "[1026]" }, 1_026],
    ["no money", { prompt: "[1008]" }, 1_008],
    ["a callback to nowhere", { callback_url: "here" }, 2_013],
  ];
  test.each(refused)("refuses %s with the status 200", async (_what, body, code) => {
    await using simulator = await clockedSandbox();

    expect(await caller(simulator).orderOld(body)).toEqual({
      status: 200,
      body: { base_resp: { status_code: code, status_msg: expect.any(String) } },
    });
  });

  test.each<[string, JsonObject]>([
    [
      "a beginning and an end",
      {
        model: "MiniMax-Hailuo-02",
        first_frame_image: LINK,
        last_frame_image: LINK,
        resolution: "512P",
      },
    ],
    [
      "a person reference",
      { model: "S2V-01", subject_reference: [{ type: "character", image: [LINK] }] },
    ],
    [
      "an image without a prompt",
      { prompt: "", first_frame_image: pngUrl(300, 300), prompt_optimizer: false },
    ],
  ])("accepts %s", async (_what, body) => {
    await using simulator = await clockedSandbox();

    expect(await caller(simulator).orderOld(body)).toMatchObject({
      body: { base_resp: { status_code: 0 } },
    });
  });

  test("calls receivers that returned its challenge, in lower case", async () => {
    const tasks = { queuedMs: 20, runningMs: 20, callbackRetryMs: 1 };
    await using simulator = await clockedSandbox({ now: Date.now, tasks });
    using receiver = openReceiver({ echoes: true });
    const { body } = await caller(simulator).orderOld({ callback_url: receiver.url });
    await waitFor(() => receiver.heard.length === 3);
    const [challenge, ...told] = receiver.heard.map((each) => asObject(each.body));

    expect(Object.keys(challenge ?? {})).toEqual(["challenge"]);
    expect(told.map(({ status }) => status)).toEqual(["processing", "success"]);
    expect(told[1]).toMatchObject({
      task_id: textAt(body, "task_id"),
      file_id: expect.stringMatching(/^\d{15}$/),
      base_resp: { status_code: 0 },
    });
  });

  test("refuses receivers that did not echo the challenge, and does not contact other machines", async () => {
    await using simulator = await clockedSandbox();
    using receiver = openReceiver();
    const { orderOld } = caller(simulator);
    const silent = await orderOld({ callback_url: receiver.url });
    const elsewhere = await orderOld({ callback_url: "https://caller.example/told" });

    expect(silent.body).toMatchObject({ base_resp: { status_code: 2_013 } });
    expect(elsewhere.body).toMatchObject({ base_resp: { status_code: 0 } });
    expect(receiver.heard).toHaveLength(1);
    expect(simulator.sandbox.callbacks.map(({ url }) => url)).toEqual([receiver.url]);
  });
});

test("each version has its own tasks, and its own error for unknown ones", async () => {
  await using simulator = await clockedSandbox();
  const { order, orderOld, read, readOld } = caller(simulator);
  const newer = textAt((await order([text("a cat")])).body, "task_id");
  const older = textAt((await orderOld({})).body, "task_id");

  expect((await read(older)).status).toBe(404);
  expect(await readOld(newer)).toMatchObject({ base_resp: { status_code: 2_013 } });
  expect((await simulator.call("GET", "/minimax/v1/models")).status).toBe(200);
  expect(
    (await simulator.call("DELETE", `/minimax/v2/query/video_generation/${newer}`)).status,
  ).toBe(404);
});
