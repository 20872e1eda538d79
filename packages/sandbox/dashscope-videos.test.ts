import { describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { call, pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, type ClockedSandbox } from "./testing/tasks.ts";

const API = "/dashscope/api/v1";
const PATH = `${API}/services/aigc/video-generation/video-synthesis`;
const FRAMES_PATH = `${API}/services/aigc/image2video/video-synthesis`;
const ASYNC = { "x-dashscope-async": "enable" };
const LINK = "https://a.example/a.png";
const picture = pngUrl(600, 400);

/** The one caller of these tests. */
function caller(simulator: ClockedSandbox) {
  return {
    async order(
      model: string,
      input: JsonObject = {},
      parameters: JsonObject = {},
      path = PATH,
      headers: Readonly<Record<string, string>> = {},
    ) {
      const body = { model, input: { prompt: "a cat", ...input }, parameters };
      const { status, answer } = await call(simulator.sandbox, path, body, {
        ...ASYNC,
        ...headers,
      });
      return { status, body: answer, id: textAt(answer, "output", "task_id") };
    },
    read: async (id: string) => asObject((await simulator.call("GET", `${API}/tasks/${id}`)).body),
    async finished(model: string, input: JsonObject = {}, parameters: JsonObject = {}) {
      const { id } = await this.order(model, input, parameters);
      simulator.wait(1_300);
      return this.read(id);
    },
  };
}

function shown(status: number, body: Json | undefined): string {
  return `${status} ${textAt(body, "code")} ${textAt(body, "message")}`;
}

describe("a task", () => {
  test("is pending, runs and has succeeded, with times in Beijing time", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const { status, body, id } = await order("wan2.6-t2v", {}, { size: "1280*720", duration: 10 });
    const pending = await read(id);
    simulator.wait(300);
    const running = await read(id);
    simulator.wait(1_000);

    expect([status, body]).toEqual([
      200,
      {
        output: { task_id: expect.stringMatching(/^[\da-f-]{36}$/), task_status: "PENDING" },
        request_id: expect.any(String),
      },
    ]);
    expect(pending["output"]).toEqual({
      task_id: id,
      task_status: "PENDING",
      submit_time: "2026-01-01 20:00:00.000",
    });
    expect(running["output"]).toMatchObject({ task_status: "RUNNING" });
    expect(await read(id)).toEqual({
      request_id: expect.any(String),
      output: {
        task_id: id,
        task_status: "SUCCEEDED",
        submit_time: "2026-01-01 20:00:00.000",
        scheduled_time: "2026-01-01 20:00:00.300",
        end_time: "2026-01-01 20:00:01.300",
        orig_prompt: "a cat",
        actual_prompt: expect.stringContaining("a cat "),
        video_url: expect.stringMatching(/video\.mp4\?Date=.*&Expires=86400&Signature=/),
      },
      usage: {
        video_count: 1,
        duration: 10,
        output_video_duration: 10,
        input_video_duration: 0,
        SR: 720,
        size: "1280*720",
      },
    });
  });

  test.each([
    ["[fail]", { task_status: "FAILED", code: "InternalError.Algo" }],
    ["[InternalError.Algo]", { task_status: "FAILED", code: "InternalError.Algo" }],
    ["[moderate]", { task_status: "FAILED", code: "DataInspectionFailed" }],
    ["[DataInspectionFailed]", { task_status: "FAILED", code: "DataInspectionFailed" }],
    ["[expire]", { task_status: "UNKNOWN" }],
    ["[stuck]", { task_status: "RUNNING" }],
  ])("%s", async (mark, outcome) => {
    await using simulator = await clockedSandbox();
    const { output, usage } = await caller(simulator).finished("wan2.6-t2v", {
      prompt: `x ${mark}`,
    });

    expect(output).toMatchObject(outcome);
    expect(usage).toBeUndefined();
  });

  test("with [silentfail] fails without a message", async () => {
    await using simulator = await clockedSandbox();
    const { output } = await caller(simulator).finished("wan2.6-t2v", { prompt: "x [silentfail]" });

    expect(Object.keys(asObject(output))).toEqual([
      "task_id",
      "task_status",
      "submit_time",
      "scheduled_time",
      "end_time",
    ]);
  });

  test("can be cancelled while it is pending", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const cancel = (id: string) => simulator.call("POST", `${API}/tasks/${id}/cancel`);
    const first = await order("wan2.6-t2v");
    const cancelled = await cancel(first.id);
    const second = await order("wan2.6-t2v");
    simulator.wait(300);
    const refused = await cancel(second.id);

    expect(cancelled).toEqual({ status: 200, body: { request_id: expect.any(String) } });
    expect(await read(first.id)).toMatchObject({ output: { task_status: "CANCELED" } });
    expect(shown(refused.status, refused.body)).toStartWith("400 UnsupportedOperation Failed to");
    expect((await cancel("no-such-task")).status).toBe(400);
    expect(await read(second.id)).toMatchObject({ output: { task_status: "RUNNING" } });
  });

  test("is unknown to others, and to all after a day", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const { id } = await order("wan2.6-t2v");
    const other = await simulator.call("GET", `${API}/tasks/${id}`, undefined, {
      authorization: "Bearer other",
    });
    simulator.wait(86_400_000);

    expect(at(other.body, "output", "task_status")).toBe("UNKNOWN");
    expect(await read(id)).toMatchObject({ output: { task_id: id, task_status: "UNKNOWN" } });
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const { order } = caller(simulator);
    const lost = await order("wan2.6-t2v", { prompt: "[timeout]" });
    const next = await order("wan2.6-t2v");
    const list = await simulator.call("GET", `${API}/tasks`);

    expect(shown(lost.status, lost.body)).toStartWith("504 RequestTimeOut");
    expect(shown(next.status, next.body)).toStartWith("429 Throttling.RateQuota");
    expect(at(list.body, "total")).toBe(1);
  });
});

test("tasks of all kinds are listed, page by page, within a day", async () => {
  await using simulator = await clockedSandbox();
  const { order } = caller(simulator);
  const film = await order("wan2.6-t2v");
  simulator.wait(1_300);
  const draw = { model: "qwen-image", input: { prompt: "a cat" } };
  const drawn = await call(
    simulator.sandbox,
    `${API}/services/aigc/text2image/image-synthesis`,
    draw,
    ASYNC,
  );
  const list = (query = "") => simulator.call("GET", `${API}/tasks/${query}`);
  const idsOf = async (query: string) => {
    const data = at((await list(query)).body, "data");
    return Array.isArray(data) ? data.map((entry: Json) => textAt(entry, "task_id")) : [];
  };
  const drawing = textAt(drawn.answer, "output", "task_id");

  expect((await list()).body).toEqual({
    request_id: expect.any(String),
    total: 2,
    total_page: 1,
    page_no: 1,
    page_size: 10,
    data: [
      expect.objectContaining({ task_id: drawing, status: "PENDING", model_name: "qwen-image" }),
      {
        api_key_id: "1",
        caller_parent_id: "1000000000000001",
        caller_uid: "1000000000000001",
        gmt_create: 1_767_268_800_000,
        start_time: 1_767_268_800_300,
        end_time: 1_767_268_801_300,
        model_name: "wan2.6-t2v",
        region: "cn-beijing",
        request_id: textAt(film.body, "request_id"),
        status: "SUCCEEDED",
        task_id: film.id,
        user_api_unique_key: "apikey:v1:aigc:video-generation:video-synthesis:wan2.6-t2v",
      },
    ],
  });
  expect(await idsOf("?page_size=1&page_no=2")).toEqual([film.id]);
  expect(await idsOf("?status=PENDING")).toEqual([drawing]);
  expect(await idsOf("?model_name=wan2.6-t2v")).toEqual([film.id]);
  expect(await idsOf("?start_time=20260101200001&end_time=20260101200002")).toEqual([drawing]);
  expect(await idsOf("?region=us-east-1")).toEqual([]);
  expect((await list("?start_time=20251201000000")).status).toBe(400);
  expect((await list("?start_time=yesterday")).status).toBe(400);
  expect((await list("?page_size=0")).status).toBe(400);
});

describe("the result of a task", () => {
  const media = (...list: Json[]): JsonObject => ({ media: list });
  const frame = { type: "first_frame", url: picture };
  const voice = { type: "driving_audio", url: "https://a.example/a.mp3" };
  const clip = { type: "reference_video", url: "https://a.example/a.mp4", reference_voice: LINK };
  const cases: [string, string, JsonObject, JsonObject, string][] = [
    [
      "an early model",
      "wanx2.1-t2v-turbo",
      {},
      { duration: 3, size: "480*832" },
      "480x832 3s silent",
    ],
    ["the usual shape of the second", "wan2.2-t2v-plus", {}, {}, "1920x1080 5s silent"],
    ["sound by itself", "wan2.5-t2v-preview", {}, { size: "624*624" }, "624x624 5s sound"],
    [
      "silence on request",
      "wan2.5-t2v-preview",
      {},
      { size: "624*624", audio: false },
      "624x624 5s silent",
    ],
    [
      "sound of its own",
      "wan2.5-t2v-preview",
      { audio_url: LINK },
      { size: "624*624", audio: false },
      "624x624 5s sound",
    ],
    [
      "no silence where it always sounds",
      "wan2.6-t2v",
      {},
      { size: "960*960", audio: false, duration: 2 },
      "960x960 2s sound",
    ],
    [
      "a picture decides the shape",
      "wan2.6-i2v-flash",
      { img_url: picture },
      { resolution: "480P", duration: 2, audio: false },
      "768x512 2s silent",
    ],
    [
      "a link does not",
      "wan2.2-i2v-plus",
      { img_url: LINK },
      { resolution: "480P" },
      "832x480 5s silent",
    ],
    [
      "a ratio",
      "wan2.7-t2v",
      {},
      { resolution: "720P", ratio: "3:4", duration: 2 },
      "832x1088 2s sound",
    ],
    [
      "a list of media",
      "wan2.7-i2v",
      media(frame, voice),
      { resolution: "720P", duration: 2 },
      "1168x784 2s sound",
    ],
    [
      "references",
      "wan2.6-r2v",
      { reference_urls: [LINK, LINK] },
      { size: "960*960", duration: 2 },
      "960x960 2s sound",
    ],
    [
      "references in a list",
      "wan2.7-r2v",
      media(clip),
      { resolution: "720P", duration: 2 },
      "1280x720 2s sound",
    ],
  ];
  testWithFfmpeg("is as requested", async () => {
    await using simulator = await clockedSandbox();
    for (const [what, model, input, parameters, expected] of cases) {
      const { output } = await caller(simulator).finished(model, input, parameters);
      const file = await (await fetch(textAt(output, "video_url"))).bytes();
      const [film = "", sound] = (await probe(file, "width,height,nb_frames")).split("\n");
      const [width, height, frames] = film.split("|");
      const heard = sound === undefined ? "silent" : "sound";

      expect(`${what}: ${width}x${height} ${Number(frames) / 24}s ${heard}`).toBe(
        `${what}: ${expected}`,
      );
    }
  });

  test("has the fields of its generation, and counts the inputs", async () => {
    await using simulator = await clockedSandbox();
    const one = caller(simulator);

    expect((await one.finished("wanx2.1-t2v-plus"))["usage"]).toEqual({
      video_count: 1,
      video_duration: 5,
      video_ratio: "standard",
    });
    expect((await one.finished("wan2.7-r2v", media(clip, clip)))["usage"]).toEqual({
      video_count: 1,
      duration: 15,
      output_video_duration: 5,
      input_video_duration: 10,
      SR: 1080,
    });
  });

  test("of a prompt that is too long uses its beginning, and cannot be extended", async () => {
    await using simulator = await clockedSandbox();
    const prompt = "x".repeat(900);
    const { output } = await caller(simulator).finished(
      "wanx2.1-t2v-plus",
      { prompt },
      { prompt_extend: false },
    );

    expect(textAt(output, "orig_prompt")).toHaveLength(800);
    expect(asObject(output)["actual_prompt"]).toBeUndefined();
  });

  test("has links that expire, and files in the vendor's storage need their header", async () => {
    await using simulator = await clockedSandbox({ tasks: { linkSeconds: 60 } });
    const one = caller(simulator);
    const { output } = await one.finished("wanx2.1-t2v-plus");
    const url = textAt(output, "video_url");
    const fresh = await fetch(url, { headers: { range: "bytes=4-7" } });
    simulator.wait(60_000);
    const stored = { img_url: "oss://bucket/a.png" };
    const header = { "x-dashscope-ossresourceresolve": "enable" };

    expect([await fresh.text(), (await fetch(url)).status]).toEqual(["ftyp", 403]);
    expect((await one.order("wan2.6-i2v", stored)).status).toBe(400);
    expect((await one.order("wan2.6-i2v", stored, {}, PATH, header)).status).toBe(200);
  });
});

describe("refused with the vendor's message", () => {
  const invalid = "400 InvalidParameter ";
  const frames = { first_frame_url: LINK, last_frame_url: LINK };
  const refused: [string, string, JsonObject, JsonObject, string, string?][] = [
    ["another model", "wan9", {}, {}, "404 ModelNotFound Model not exist."],
    ["no words", "wan2.6-t2v", { prompt: "" }, {}, `${invalid}input.prompt is required.`],
    [
      "a long negative prompt",
      "wan2.6-t2v",
      { negative_prompt: "x".repeat(501) },
      {},
      `${invalid}negative_prompt`,
    ],
    ["no picture", "wan2.6-i2v", {}, {}, `${invalid}input.img_url is required.`],
    [
      "a small image",
      "wan2.5-i2v-preview",
      { img_url: pngUrl(300, 400) },
      {},
      `${invalid}Invalid input.img_url`,
    ],
    ["an invalid image", "wan2.6-i2v", { img_url: "a.png" }, {}, `${invalid}input.img_url must be`],
    [
      "no end",
      "wan2.2-kf2v-flash",
      { first_frame_url: LINK },
      {},
      `${invalid}input.last_frame_url`,
      FRAMES_PATH,
    ],
    ["frames at the wrong place", "wan2.2-kf2v-flash", frames, {}, `${invalid}url error`],
    ["a prompt in the wrong field", "wan2.6-t2v", {}, {}, `${invalid}url error`, FRAMES_PATH],
    ["no references", "wan2.6-r2v", {}, {}, `${invalid}There must be 1 to 5`],
    [
      "six references",
      "wan2.6-r2v",
      { reference_urls: Array(6).fill(LINK) },
      {},
      `${invalid}There must be 1 to 5`,
    ],
    [
      "four videos",
      "wan2.6-r2v",
      { reference_video_urls: Array(4).fill(LINK) },
      {},
      `${invalid}There must be 1 to 5`,
    ],
    ["no media", "wan2.7-i2v", { img_url: LINK }, {}, `${invalid}input.media must be`],
    [
      "media of another model",
      "wan2.7-i2v",
      { media: [{ type: "video", url: LINK }] },
      {},
      `${invalid}The type of`,
    ],
    [
      "two beginnings",
      "wan2.7-i2v",
      { media: Array(2).fill({ type: "first_frame", url: LINK }) },
      {},
      `${invalid}input.media holds`,
    ],
    ["a size with an x", "wan2.6-t2v", {}, { size: "1280x720" }, `${invalid}The size is not match`],
    [
      "a size with an image",
      "wan2.6-i2v",
      { img_url: LINK },
      { size: "1280*720" },
      `${invalid}The size parameter`,
    ],
    [
      "a resolution in small letters",
      "wan2.6-i2v",
      { img_url: LINK },
      { resolution: "720p" },
      `${invalid}resolution must be`,
    ],
    [
      "a low one of the latest",
      "wan2.7-t2v",
      {},
      { resolution: "480P" },
      `${invalid}resolution must be`,
    ],
    [
      "both",
      "wan2.6-t2v",
      {},
      { resolution: "720P", size: "1280*720" },
      `${invalid}size and resolution`,
    ],
    ["another ratio", "wan2.7-t2v", {}, { ratio: "21:9" }, `${invalid}ratio must be`],
    ["seven seconds", "wan2.5-t2v-preview", {}, { duration: 7 }, `${invalid}duration must be`],
    ["seconds as a text", "wan2.6-t2v", {}, { duration: "5" }, `${invalid}duration must be`],
    ["a seed below zero", "wan2.6-t2v", {}, { seed: -1 }, `${invalid}Range of seed`],
    ["another shot", "wan2.6-t2v", {}, { shot_type: "wide" }, `${invalid}shot_type must be`],
    ["a mark that is a text", "wan2.6-t2v", {}, { watermark: "no" }, `${invalid}watermark must be`],
    ["no money", "wan2.6-t2v", { prompt: "[Arrearage]" }, {}, "400 Arrearage"],
    [
      "no access",
      "wan2.6-t2v",
      { prompt: "[AccessDenied.Unpurchased]" },
      {},
      "403 AccessDenied.Unpurchased",
    ],
    [
      "too much",
      "wan2.6-t2v",
      { prompt: "[Throttling.AllocationQuota]" },
      {},
      "429 Throttling.AllocationQuota",
    ],
  ];
  test.each(refused)("%s", async (_what, model, input, parameters, expected, ...[path]) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).order(model, input, parameters, path);

    expect(shown(status, body)).toStartWith(expected);
    expect(Object.keys(asObject(body))).toEqual(["code", "message", "request_id"]);
  });

  test("a synchronous request", async () => {
    await using simulator = await clockedSandbox();
    const { body, status } = await caller(simulator).order("wan2.6-t2v", {}, {}, PATH, {
      "x-dashscope-async": "",
    });

    expect(shown(status, body)).toBe(
      "403 AccessDenied current user api does not support synchronous calls",
    );
  });

  test("the faults of all vendors, and an effect without a last frame", async () => {
    await using simulator = await clockedSandbox();
    const { order } = caller(simulator);
    const effect = { prompt: "", template: "hug", first_frame_url: LINK };

    expect((await order("wan2.6-t2v", { prompt: "[[fault:status code=429]]" })).status).toBe(429);
    expect((await order("wan2.2-kf2v-flash", effect, {}, FRAMES_PATH)).status).toBe(200);
  });
});
