import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import type { Json, JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, openReceiver, type ClockedSandbox } from "./testing/tasks.ts";
import { callbackSignature } from "./vidu/callback.ts";

const authorization = "Token vda_test_key";
const LINK = "https://pictures.example/a.png";

/** The one caller of these tests. */
function caller(simulator: ClockedSandbox) {
  const call = (method: string, path: string, body?: Json) =>
    simulator.call(method, `/vidu/ent/v2/${path}`, body, { authorization });
  return {
    order: (body: JsonObject, action = "text2video") =>
      call("POST", action, { model: "viduq2", ...body }),
    read: async (id: string) => asObject((await call("GET", `tasks/${id}/creations`)).body),
    cancel: (id: string, body: Json = { id }) => call("POST", `tasks/${id}/cancel`, body),
    async finished(body: JsonObject, action?: string) {
      const created = await this.order(body, action);
      simulator.wait(1_300);
      return this.read(textAt(created.body, "task_id"));
    },
  };
}

describe("a task", () => {
  test("is created, queued, processed and has succeeded, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const { order, read } = caller(simulator);
    const created = await order({ prompt: "a cat", seed: 7, payload: "mine" });
    const id = textAt(created.body, "task_id");
    const common = { id, err_code: "", credits: 20, payload: "mine", bgm: false, off_peak: false };

    expect(created).toEqual({
      status: 200,
      body: {
        task_id: expect.stringMatching(/^\d{18}$/),
        state: "created",
        model: "viduq2",
        prompt: "a cat",
        images: [],
        duration: 5,
        seed: 7,
        aspect_ratio: "16:9",
        resolution: "720p",
        bgm: false,
        movement_amplitude: "auto",
        payload: "mine",
        off_peak: false,
        credits: 20,
        created_at: "2026-01-01T12:00:00.000000Z",
      },
    });
    expect(await read(id)).toEqual({ ...common, state: "created", progress: 0, creations: [] });
    simulator.wait(150);
    expect(await read(id)).toMatchObject({ state: "queueing" });
    simulator.wait(650);
    expect(await read(id)).toEqual({ ...common, state: "processing", progress: 50, creations: [] });
    simulator.wait(500);
    expect(await read(id)).toEqual({
      ...common,
      state: "success",
      progress: 100,
      creations: [
        {
          id: expect.stringMatching(/^\d{18}$/),
          url: expect.stringContaining(`/vidu/files/${id}/video.mp4?Date=`),
          cover_url: expect.stringContaining(`/vidu/files/${id}/cover.jpg?Date=`),
          watermarked_url: "",
          moderation_url: [],
          video: { duration: 5, fps: 24, resolution: { width: 1280, height: 720 } },
        },
      ],
    });
  });

  test.each([
    ["[CreationPolicyViolation]", "CreationPolicyViolation"],
    ["[moderate]", "CreationPolicyViolation"],
    ["[ImageDownloadFailure]", "ImageDownloadFailure"],
    ["[fail]", "InternalServiceFailure"],
    ["[expire]", "InternalServiceFailure"],
  ])("with %s fails with a reason", async (mark, reason) => {
    await using simulator = await clockedSandbox();

    expect(await caller(simulator).finished({ prompt: `a cat ${mark}` })).toMatchObject({
      state: "failed",
      err_code: reason,
      creations: [],
    });
  });

  test("is shown only to its owner", async () => {
    await using simulator = await clockedSandbox();
    const { body } = await caller(simulator).order({ prompt: "a cat" });
    const path = `/vidu/ent/v2/tasks/${textAt(body, "task_id")}/creations`;
    const other = await simulator.call("GET", path, undefined, { authorization: "Token other" });

    expect(other).toMatchObject({ status: 404, body: { code: 404, reason: "TaskNotFound" } });
  });

  const outcomes: [string, string, JsonObject, JsonObject][] = [
    [
      "the newest model sounds",
      "text2video",
      { model: "viduq3", prompt: "x" },
      { audio: true, resolution: "720p", duration: 5 },
    ],
    [
      "an old model in one resolution",
      "text2video",
      { model: "viduq1", prompt: "x", style: "anime" },
      { resolution: "1080p", style: "anime", credits: 40 },
    ],
    [
      "eight seconds of an older one",
      "img2video",
      { model: "vidu2.0", images: [LINK], duration: 8 },
      { resolution: "720p", duration: 8 },
    ],
    [
      "four seconds of it",
      "img2video",
      { model: "vidu2.0", images: [LINK] },
      { resolution: "360p", duration: 4, credits: 8 },
    ],
    [
      "at night, for half",
      "text2video",
      { prompt: "x", off_peak: true },
      { off_peak: true, credits: 10 },
    ],
    [
      "seven references",
      "reference2video",
      { prompt: "x", images: Array(7).fill(LINK) },
      { duration: 5 },
    ],
    [
      "references with names",
      "reference2video",
      { prompt: "x", subjects: [{ id: "cat", images: [LINK] }] },
      { images: [] },
    ],
    [
      "a beginning and an end",
      "start-end2video",
      { images: [pngUrl(400, 300), pngUrl(400, 320)] },
      { model: "viduq2" },
    ],
  ];
  test.each(outcomes)("%s", async (_what, action, order, outcome) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).order(order, action);

    expect(status).toBe(200);
    expect(body).toMatchObject(outcome);
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const { order } = caller(simulator);
    const lost = await order({ prompt: "[timeout]" });
    const next = await order({ prompt: "a cat" });

    expect(lost).toMatchObject({ status: 504, body: { reason: "InternalServiceFailure" } });
    expect(next).toMatchObject({ status: 429, body: { reason: "QuotaExceeded" } });
  });
});

describe("the files", () => {
  testWithFfmpeg("are a video as requested, and one with a watermark", async () => {
    await using simulator = await clockedSandbox();
    const order = { model: "viduq3", images: [pngUrl(300, 500)], duration: 2, resolution: "540p" };
    const task = await caller(simulator).finished({ ...order, watermark: true }, "img2video");
    const urls = ["url", "watermarked_url"].map((name) => textAt(task, "creations", 0, name));
    const files = await Promise.all(urls.map(async (url) => (await fetch(url)).bytes()));
    const seen = await Promise.all(
      files.map((file) => probe(file, "codec_name,width,height,nb_frames")),
    );

    expect(seen).toEqual(Array(2).fill("h264|540|900|48\naac|93"));
  });

  test("are unavailable after their links expired", async () => {
    await using simulator = await clockedSandbox({ tasks: { linkSeconds: 60 } });
    const task = await caller(simulator).finished({ prompt: "a cat" });
    const cover = textAt(task, "creations", 0, "cover_url");
    const fresh = new Bun.Image(await (await fetch(cover)).bytes());
    simulator.wait(60_000);

    expect(await fresh.metadata()).toMatchObject({ format: "jpeg", width: 1280, height: 720 });
    expect((await fetch(cover)).status).toBe(403);
  });
});

describe("refused with the vendor's message", () => {
  const invalid = (name: string) => `400 FieldInvalid invalid field: ${name}`;
  const count = "400 FieldItemCountOutOfRange field item count out of range: images";
  const prompt = "x";

  const refused: [string, string, JsonObject, string][] = [
    ["no prompt", "text2video", {}, "400 FieldLacking lacking field: prompt"],
    ["a long prompt", "text2video", { prompt: "x".repeat(5_001) }, invalid("prompt")],
    ["another model", "text2video", { prompt, model: "viduq9" }, invalid("model")],
    [
      "a model that sees no references",
      "reference2video",
      { prompt, model: "viduq2-pro", images: [LINK] },
      invalid("model"),
    ],
    [
      "an image for a text-only video",
      "text2video",
      { prompt, images: [LINK] },
      "400 FieldUnwanted unwanted field: images",
    ],
    ["no image", "img2video", { prompt }, "400 FieldLacking lacking field: images"],
    ["two images to begin with", "img2video", { images: [LINK, LINK] }, count],
    ["no end", "start-end2video", { images: [LINK] }, count],
    ["eight references", "reference2video", { prompt, images: Array(8).fill(LINK) }, count],
    ["base64 without its prefix", "img2video", { images: ["AAAA"] }, invalid("images")],
    [
      "an invalid image",
      "img2video",
      { images: ["data:image/png;base64,AAAA"] },
      "400 ImageFormatInvalid image format invalid",
    ],
    [
      "an image of another kind",
      "img2video",
      { images: ["data:image/gif;base64,AAAA"] },
      "400 ImageFormatInvalid image format invalid",
    ],
    ["a narrow image", "img2video", { images: [pngUrl(100, 401)] }, invalid("images")],
    [
      "two shapes",
      "start-end2video",
      { images: [pngUrl(400, 300), pngUrl(300, 400)] },
      invalid("images"),
    ],
    ["11 seconds", "text2video", { prompt, duration: 11 }, invalid("duration")],
    [
      "17 seconds of the newest model",
      "text2video",
      { prompt, model: "viduq3", duration: 17 },
      invalid("duration"),
    ],
    ["seconds as a text", "text2video", { prompt, duration: "5" }, invalid("duration")],
    [
      "5 seconds of an old model",
      "img2video",
      { model: "vidu1.5", images: [LINK], duration: 5 },
      invalid("duration"),
    ],
    ["upper case", "text2video", { prompt, resolution: "720P" }, invalid("resolution")],
    [
      "1080p for 8 seconds",
      "img2video",
      { model: "vidu2.0", images: [LINK], duration: 8, resolution: "1080p" },
      invalid("resolution"),
    ],
    [
      "a shape that an old model does not know",
      "text2video",
      { prompt, model: "viduq1", aspect_ratio: "4:3" },
      invalid("aspect_ratio"),
    ],
    [
      "a style of a new model",
      "text2video",
      { prompt, style: "anime" },
      "400 FieldUnwanted unwanted field: style",
    ],
    [
      "another movement",
      "text2video",
      { prompt, movement_amplitude: "wild" },
      invalid("movement_amplitude"),
    ],
    ["a watermark elsewhere", "text2video", { prompt, wm_position: 5 }, invalid("wm_position")],
    [
      "a large payload",
      "text2video",
      { prompt, payload: "x".repeat(1_048_577) },
      invalid("payload"),
    ],
    [
      "a callback to nowhere",
      "text2video",
      { prompt, callback_url: "here" },
      invalid("callback_url"),
    ],
    [
      "no credits",
      "text2video",
      { prompt: "[CreditInsufficient]" },
      "400 CreditInsufficient insufficient credits",
    ],
    [
      "bad words",
      "text2video",
      { prompt: "[TaskPromptPolicyViolation]" },
      "400 TaskPromptPolicyViolation the prompt violates the policy",
    ],
    [
      "too much at once",
      "text2video",
      { prompt: "[SystemThrottling]" },
      "429 SystemThrottling system throttling",
    ],
    ["a path that is not there", "template", { prompt }, "404 NotFound not found"],
  ];
  test.each(refused)("%s", async (_what, action, order, expected) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).order(order, action);

    expect(`${status} ${textAt(body, "reason")} ${textAt(body, "message")}`).toBe(expected);
    expect(body).toEqual({
      code: status,
      reason: expect.any(String),
      message: expect.any(String),
      metadata: { trace_id: expect.stringMatching(/^[\da-f]{32}$/) },
    });
  });

  test.each(["", "Bearer vda_test_key", "Token other", "vda_test_key"])(
    "the credential %j",
    async (wrong) => {
      await using simulator = await clockedSandbox({ apiKeys: ["vda_test_key"] });
      const order = { model: "viduq2", prompt: "x" };

      expect(
        await simulator.call("POST", "/vidu/ent/v2/text2video", order, { authorization: wrong }),
      ).toMatchObject({ status: 401, body: { code: 401, reason: "Unauthorized" } });
    },
  );

  test("the faults of all vendors, ordered for a key", async () => {
    await using simulator = await clockedSandbox();
    simulator.sandbox.faults.add({
      name: "status",
      args: { code: "500" },
      match: { key: "vda_test_key" },
    });

    expect(await caller(simulator).order({ prompt: "x" })).toMatchObject({
      status: 500,
      body: { code: 500, reason: "InternalServiceFailure" },
    });
  });
});

describe("a task is cancelled", () => {
  test("while it waits, and has failed then", async () => {
    await using simulator = await clockedSandbox();
    const { order, cancel, read } = caller(simulator);
    const id = textAt((await order({ prompt: "a cat" })).body, "task_id");
    const cancelled = await cancel(id);

    expect(cancelled).toEqual({ status: 200, body: {} });
    expect(await read(id)).toMatchObject({ state: "failed", err_code: "UserCancelled" });
  });

  test("but not while it runs", async () => {
    await using simulator = await clockedSandbox();
    const { order, cancel, read } = caller(simulator);
    const id = textAt((await order({ prompt: "a cat" })).body, "task_id");
    simulator.wait(300);

    expect(await cancel(id)).toMatchObject({
      status: 400,
      body: { reason: "BadRequest", message: "task state is processing, can not cancel" },
    });
    expect(await cancel(id, { id: "1" })).toMatchObject({ body: { reason: "FieldInvalid" } });
    expect(await read(id)).toMatchObject({ state: "processing" });
  });
});

describe("callbacks", () => {
  const quick = { queuedMs: 20, runningMs: 20, callbackRetryMs: 1 };

  test("the published signature equals the computed one", () => {
    const date = "Thu, 01 Jan 2026 00:00:00 GMT";

    expect(callbackSignature("vda_test_key", "https://caller.example/cb/vidu", date, "n-1")).toBe(
      "tnh/ZUyG8GcsIM3fEtJYO7cBD2e+VsId7nSLmz93TLE=",
    );
  });

  test("report the task when it runs and when it is done, signed with the account's key", async () => {
    await using simulator = await clockedSandbox({ now: Date.now, tasks: quick });
    using receiver = openReceiver();
    const url = `${receiver.url}?b=2&a=1`;
    const { body } = await caller(simulator).order({ prompt: "a cat", callback_url: url });
    await waitFor(() => receiver.heard.length === 2);
    const [first, second] = receiver.heard;
    const header = (name: string) => first?.headers.get(name) ?? "";

    expect(receiver.heard.map((each) => at(each.body, "state"))).toEqual(["processing", "success"]);
    expect(second?.body).toEqual(await caller(simulator).read(textAt(body, "task_id")));
    expect(Math.abs(Date.parse(header("date")) - Date.now())).toBeLessThan(60_000);
    expect(header("x-hmac-signature")).toBe(
      callbackSignature("vda_test_key", url, header("date"), header("x-request-nonce")),
    );
    expect(header("x-hmac-signed-headers")).toBe("Date;x-request-nonce");
    expect(header("x-request-nonce")).not.toBe(second?.headers.get("x-request-nonce"));
  });

  test("are tried four times unless the response is 200", async () => {
    await using simulator = await clockedSandbox({ now: Date.now, tasks: quick });
    using receiver = openReceiver();
    receiver.answerWith(201, 204, 500, 500);
    const order = { prompt: "a cat [stuck]", callback_url: receiver.url };
    await caller(simulator).order(order);
    await waitFor(() => simulator.sandbox.callbacks.length === 4);

    expect(simulator.sandbox.callbacks.map(({ status }) => status)).toEqual([201, 204, 500, 500]);
  });

  test("report a cancelled task at once, and nothing after it", async () => {
    await using simulator = await clockedSandbox({
      now: Date.now,
      tasks: { ...quick, queuedMs: 200 },
    });
    using receiver = openReceiver();
    const { order, cancel } = caller(simulator);
    const { body } = await order({ prompt: "a cat", callback_url: receiver.url });
    await cancel(textAt(body, "task_id"));
    await waitFor(() => receiver.heard.length === 1);
    await order({ prompt: "a dog", callback_url: `${receiver.url}/2` });
    await waitFor(() => receiver.heard.some(({ body: each }) => at(each, "state") === "success"));
    const first = receiver.heard.filter(({ path }) => path === "/told");

    expect(first.map((each) => at(each.body, "err_code"))).toEqual(["UserCancelled"]);
  });
});
