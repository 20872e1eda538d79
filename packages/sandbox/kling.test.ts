import { createHmac } from "node:crypto";
import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import { webhookSignature } from "./kling/callback.ts";
import { readJwt } from "./kling/jwt.ts";
import type { Json, JsonObject } from "./json.ts";
import { at, textAt } from "./testing/chat.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, openReceiver, type ClockedSandbox } from "./testing/tasks.ts";

const V1 = "/kling/v1/videos/text2video";
const NOW_SECONDS = 1_767_268_800;
const LINK = "https://pictures.example/a.png";

/** Both styles, as one caller uses them. */
function caller(simulator: ClockedSandbox) {
  return {
    v1: (body: JsonObject, scenario = "text2video") =>
      simulator.call("POST", `/kling/v1/videos/${scenario}`, body),
    v3: (body: JsonObject, product = "text-to-video", model = "kling-3.0") =>
      simulator.call("POST", `/kling/${product}/${model}`, body),
    task: async (id: string) =>
      at((await simulator.call("GET", `/kling/tasks?task_ids=${id}`)).body, "data", 0),
  };
}

/** As base64 alone. */
function png(width: number, height: number): string {
  return pngUrl(width, height).replace(/^data:.*?,/, "");
}

const answer = (data: Json) => ({
  code: 0,
  message: "SUCCEED",
  request_id: expect.stringMatching(/^Cj[\w-]{32}$/),
  data,
});

describe("a task of the older style", () => {
  test("is submitted, processed and has succeeded, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const body = { prompt: "a cat", external_task_id: "order-7" };
    const created = await simulator.call("POST", V1, body);
    const id = textAt(created.body, "data", "task_id");
    const read = async () => (await simulator.call("GET", `${V1}/${id}`)).body;
    const common = {
      task_id: id,
      task_info: { external_task_id: "order-7" },
      created_at: NOW_SECONDS * 1_000,
    };
    const open = { ...common, task_status_msg: "", watermark_info: { enabled: false } };

    expect(id).toMatch(/^\d{18}$/);
    expect(created).toEqual({
      status: 200,
      body: answer({ ...common, task_status: "submitted", updated_at: NOW_SECONDS * 1_000 }),
    });
    simulator.wait(300);
    expect(await read()).toEqual(
      answer({ ...open, task_status: "processing", updated_at: NOW_SECONDS * 1_000 + 300 }),
    );
    simulator.wait(1_000);
    expect(await read()).toEqual(
      answer({
        ...open,
        task_status: "succeed",
        task_result: {
          videos: [
            {
              id: expect.any(String),
              url: expect.stringContaining("&Expires=2592000&Signature="),
              watermark_url: "",
              duration: "5.1",
            },
          ],
        },
        final_unit_deduction: "2",
        final_balance_deduction: { quota: "0.28", list_price: "0.28" },
        updated_at: NOW_SECONDS * 1_000 + 1_300,
      }),
    );
  });

  test("is found by the client's own id, under the path of its creation", async () => {
    await using simulator = await clockedSandbox();
    await caller(simulator).v1({ prompt: "a cat", external_task_id: "order-7" });
    const found = await simulator.call("GET", `${V1}/order-7`);
    const elsewhere = await simulator.call("GET", "/kling/v1/videos/image2video/order-7");

    expect(textAt(found.body, "data", "task_info", "external_task_id")).toBe("order-7");
    expect(elsewhere).toMatchObject({ status: 404, body: { code: 1203 } });
  });

  test("is listed with others of its kind, page by page", async () => {
    await using simulator = await clockedSandbox();
    for (const prompt of ["one", "two", "three"]) await caller(simulator).v1({ prompt });
    await caller(simulator).v1({ image: LINK }, "image2video");
    const count = async (query: string) => {
      const data = at((await simulator.call("GET", `${V1}${query}`)).body, "data");
      return Array.isArray(data) ? data.length : undefined;
    };

    expect([await count(""), await count("?pageNum=2&pageSize=2")]).toEqual([3, 1]);
    expect((await simulator.call("GET", `${V1}?pageSize=501`)).body).toMatchObject({ code: 1201 });
  });

  test.each([
    ["[fail]", "Server internal error"],
    ["[moderate]", "Failure to pass the risk control system"],
    ["[expire]", "Task timed out"],
  ])("with %s fails in a successful response", async (mark, message) => {
    await using simulator = await clockedSandbox();
    const { body } = await caller(simulator).v1({ prompt: mark });
    simulator.wait(1_300);
    const read = await simulator.call("GET", `${V1}/${textAt(body, "data", "task_id")}`);

    expect(read).toMatchObject({
      status: 200,
      body: { code: 0, data: { task_status: "failed", task_status_msg: message } },
    });
    expect(at(read.body, "data")).not.toContainKey("task_result");
  });
});

describe("a task of the newer style", () => {
  test("is submitted, processed and has succeeded, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const settings = { resolution: "720p", audio: "native" };
    const options = { external_task_id: "order-7", watermark_info: { enabled: true } };
    const created = await caller(simulator).v3({ prompt: "a cat", settings, options });
    const id = textAt(created.body, "data", "id");
    const common = { id, create_time: NOW_SECONDS * 1_000, external_id: "order-7" };

    expect(created).toEqual({
      status: 200,
      body: answer({ ...common, status: "submitted", update_time: NOW_SECONDS * 1_000 }),
    });
    simulator.wait(1_300);
    expect(await caller(simulator).task(id)).toEqual({
      ...common,
      status: "succeeded",
      message: "",
      update_time: NOW_SECONDS * 1_000 + 1_300,
      outputs: [
        {
          type: "video",
          id: expect.any(String),
          url: expect.stringContaining("/video.mp4?"),
          watermark_url: expect.stringContaining("/watermarked.mp4?"),
          duration: "5.041",
        },
      ],
      billing: [
        { charge_type: "unit", package_type: "video", amount: "4.5" },
        {
          charge_type: "cash",
          cash_type: "balance",
          amount: "0.63",
          currency: "USD",
          list_price: "0.63",
        },
      ],
    });
  });

  test("is polled with several others, and unknown ids are omitted", async () => {
    await using simulator = await clockedSandbox();
    const first = textAt((await caller(simulator).v3({ prompt: "one" })).body, "data", "id");
    const named = { prompt: "two", options: { external_task_id: "second" } };
    const second = textAt((await caller(simulator).v3(named)).body, "data", "id");
    const ids = async (query: string) => {
      const { status, body } = await simulator.call("GET", `/kling/tasks?${query}`);
      const data = at(body, "data");
      return [status, ...(Array.isArray(data) ? data.map((task) => textAt(task, "id")) : [])];
    };

    expect(await ids(`task_ids=${first},1,${second}`)).toEqual([200, first, second]);
    expect(await ids("external_task_ids=second")).toEqual([200, second]);
    expect(await ids("task_ids=1")).toEqual([200]);
    expect(await ids(`task_ids=${first}&external_task_ids=second`)).toEqual([400]);
    expect(await ids("")).toEqual([400]);
  });

  test("is listed by cursor and with filters", async () => {
    await using simulator = await clockedSandbox();
    for (const prompt of ["one", "two [fail]", "three"]) {
      await caller(simulator).v3({ prompt });
      simulator.wait(1_300);
    }
    const list = async (body: JsonObject) =>
      at((await simulator.call("POST", "/kling/tasks", body)).body, "data");
    const first = await list({ limit: 2 });
    const rest = await list({ limit: 2, cursor: textAt(first, "next_cursor") });
    const failed = await list({ filters: [{ key: "status", values: ["failed"] }] });

    expect(first).toMatchObject({ count: 2, has_more: true });
    expect(rest).toMatchObject({ count: 1, has_more: false, next_cursor: "" });
    expect(failed).toMatchObject({ count: 1, result: [{ message: "Server internal error" }] });
    expect(await list({ start_time: NOW_SECONDS * 1_000 + 2_000 })).toMatchObject({ count: 1 });
  });

  testWithFfmpeg("has the requested size, length and sound", async () => {
    await using simulator = await clockedSandbox();
    const settings = { aspect_ratio: "9:16", duration: 3, audio: "native" };
    const { body } = await caller(simulator).v3({ prompt: "a cat", settings });
    simulator.wait(1_300);
    const task = await caller(simulator).task(textAt(body, "data", "id"));
    const file = await (await fetch(textAt(task, "outputs", 0, "url"))).bytes();

    expect(await probe(file, "codec_name,width,height,nb_frames")).toBe(
      "h264|720|1280|73\naac|142",
    );
  });

  testWithFfmpeg("has the shape of its first frame", async () => {
    await using simulator = await clockedSandbox();
    const contents = [{ type: "first_frame", url: png(300, 600) }];
    const { body } = await caller(simulator).v3({ contents }, "image-to-video", "kling-3.0-turbo");
    simulator.wait(1_300);
    const task = await caller(simulator).task(textAt(body, "data", "id"));
    const file = await (await fetch(textAt(task, "outputs", 0, "url"))).bytes();

    expect(await probe(file, "width,height")).toBe("720|1280");
  });
});

describe("credentials", () => {
  const VECTOR =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJhay10ZXN0IiwiZXhwIjoxNzY3MjI3NDAwLCJuYmYiOjE3NjcyMjU1OTV9.igmdxi5Hyp5FmvTwCcAIq6WqGtciPgqXwk0szYJBEWg";
  const SECRET = "sk-test-secret-0123456789abcdef";

  function token(payload: JsonObject, secret = SECRET, alg = "HS256"): string {
    const part = (value: JsonObject) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const signed = `${part({ alg, typ: "JWT" })}.${part(payload)}`;
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  }
  const good = { iss: "ak-test", exp: NOW_SECONDS + 1_800, nbf: NOW_SECONDS - 5 };

  test("the published token is signed with the published secret, and with no other", () => {
    expect(readJwt(VECTOR)?.payload).toEqual({
      iss: "ak-test",
      exp: 1_767_227_400,
      nbf: 1_767_225_595,
    });
    expect(readJwt(VECTOR)?.isSignedWith(SECRET)).toBe(true);
    expect(readJwt(VECTOR)?.isSignedWith(`${SECRET}0`)).toBe(false);
  });

  const tokens: [string, string, number, number][] = [
    ["a token that is good", `Bearer ${token(good)}`, 200, 0],
    ["none", "", 401, 1001],
    ["no Bearer", `Token ${token(good)}`, 401, 1000],
    ["the published token, half a day later", `Bearer ${VECTOR}`, 401, 1004],
    ["a token of the future", `Bearer ${token({ ...good, nbf: NOW_SECONDS + 1 })}`, 401, 1003],
    ["a token that has just expired", `Bearer ${token({ ...good, exp: NOW_SECONDS })}`, 401, 1004],
    ["a token that never expires", `Bearer ${token({ iss: "ak-test" })}`, 401, 1002],
    ["another secret", `Bearer ${token(good, "sk-other")}`, 401, 1002],
    ["another account", `Bearer ${token({ ...good, iss: "ak-other" })}`, 401, 1002],
    ["another algorithm", `Bearer ${token(good, SECRET, "none")}`, 401, 1002],
    ["a key", "Bearer sk-anything", 200, 0],
  ];
  test.each(tokens)("older style: %s", async (_what, authorization, status, code) => {
    await using simulator = await clockedSandbox();

    expect(await simulator.call("POST", V1, { prompt: "x" }, { authorization })).toMatchObject({
      status,
      body: { code },
    });
  });

  test("the newer style accepts keys only", async () => {
    await using simulator = await clockedSandbox({ apiKeys: ["key-1", "ak-test|s"] });
    const call = async (authorization: string) =>
      (
        await simulator.call(
          "POST",
          "/kling/text-to-video/kling-3.0",
          { prompt: "x" },
          { authorization },
        )
      ).body;

    expect(await call("Bearer key-1")).toMatchObject({ code: 0 });
    expect(await call(`Bearer ${token(good, "s")}`)).toMatchObject({ code: 1002 });
    expect(await call("Bearer key-2")).toMatchObject({ code: 1002 });
    expect(await call("Bearer ak-test|s")).toMatchObject({ code: 1002 });
  });

  test("a configured pair replaces the default one", async () => {
    await using simulator = await clockedSandbox({ apiKeys: ["ak-mine|sk-mine"] });
    const call = async (iss: string, secret: string) => {
      const authorization = `Bearer ${token({ ...good, iss }, secret)}`;
      return at(
        (await simulator.call("POST", V1, { prompt: "x" }, { authorization })).body,
        "code",
      );
    };

    expect([await call("ak-mine", "sk-mine"), await call("ak-test", SECRET)]).toEqual([0, 1002]);
  });
});

describe("refused with the vendor's code", () => {
  const camera = (config: JsonObject) => ({ camera_control: { type: "simple", config } });
  const shots = (...durations: string[]) => ({
    model_name: "kling-v3",
    multi_shot: true,
    shot_type: "customize",
    multi_prompt: durations.map((duration, at) => ({ index: at + 1, prompt: "x", duration })),
  });
  const frames = { image: LINK, image_tail: LINK };

  const older: [string, string, JsonObject, string][] = [
    ["no prompt", "text2video", {}, "1201 prompt: cannot be empty"],
    [
      "a long prompt",
      "text2video",
      { prompt: "x".repeat(2_501) },
      "1201 Invalid 'prompt': string too long. Expected at most 2500 characters, but got 2501.",
    ],
    [
      "another model",
      "text2video",
      { model_name: "kling-9", prompt: "x" },
      "1203 model_name value 'kling-9' is invalid",
    ],
    [
      "an image model",
      "text2video",
      { model_name: "kling-v2-1", prompt: "x" },
      "1203 model_name value 'kling-v2-1' is invalid",
    ],
    [
      "6 seconds",
      "text2video",
      { prompt: "x", duration: "6" },
      "1201 duration: duration value '6' is invalid",
    ],
    [
      "seconds as a number",
      "text2video",
      { prompt: "x", duration: 5 },
      "1201 Invalid type for 'duration': expected a string, but got a number instead.",
    ],
    [
      "16 seconds",
      "text2video",
      { model_name: "kling-v3", prompt: "x", duration: "16" },
      "1201 duration: duration value '16' is invalid",
    ],
    [
      "sound of an old model",
      "text2video",
      { prompt: "x", sound: "on" },
      "1201 sound: is not supported by the current model and mode",
    ],
    [
      "sound without the better mode",
      "text2video",
      { model_name: "kling-v2-6", prompt: "x", sound: "on" },
      "1201 sound: is not supported by the current model and mode",
    ],
    [
      "too much guidance",
      "text2video",
      { prompt: "x", cfg_scale: 1.5 },
      "1201 Invalid 'cfg_scale': expected a value <= 1, but got 1.5.",
    ],
    [
      "two movements",
      "text2video",
      { prompt: "x", ...camera({ pan: 1, zoom: 1 }) },
      "1201 camera_control.config: exactly one value must not be zero",
    ],
    [
      "a wild movement",
      "text2video",
      { prompt: "x", ...camera({ pan: 11 }) },
      "1201 camera_control.config: values are from -10 to 10",
    ],
    [
      "a movement of a newer model",
      "text2video",
      { model_name: "kling-v2-5-turbo", prompt: "x", ...camera({ pan: 1 }) },
      "1201 camera_control: is not supported by the current model",
    ],
    [
      "shots that are too short",
      "text2video",
      shots("2", "2"),
      "1201 multi_prompt: durations sum up to 4, but the duration is 5",
    ],
    [
      "seven shots",
      "text2video",
      { ...shots("1", "1", "1", "1", "1", "1", "1"), duration: "7" },
      "1201 Invalid 'multi_prompt': array too long. Expected at most 6 elements, but got 7.",
    ],
    [
      "shots of an old model",
      "text2video",
      { prompt: "x", multi_shot: true },
      "1201 multi_shot: is not supported by the current model",
    ],
    [
      "three voices",
      "text2video",
      { model_name: "kling-v3", prompt: "x", voice_list: [1, 2, 3] },
      "1201 voice_list: at most 2 are allowed",
    ],
    [
      "a callback to nowhere",
      "text2video",
      { prompt: "x", callback_url: "here" },
      "1201 callback_url: must be a URL",
    ],
    [
      "no image",
      "image2video",
      {},
      "1201 image: image and image_tail cannot be empty at the same time",
    ],
    [
      "an image with a prefix",
      "image2video",
      { image: `data:image/png;base64,${png(300, 300)}` },
      "1201 image: must be a URL or base64 without a prefix",
    ],
    [
      "a small image",
      "image2video",
      { image: png(299, 400) },
      "1201 image: the image is 299x400, expected sides of at least 300 pixels",
    ],
    [
      "a narrow image",
      "image2video",
      { image: png(300, 800) },
      "1201 image: the aspect ratio of the image is out of the range [1/2.5, 2.5]",
    ],
    [
      "no image at all",
      "image2video",
      { image: "aGVsbG8=" },
      "1201 image: the image format is not supported, expected one of jpeg, png",
    ],
    [
      "a movement between two frames",
      "image2video",
      { ...frames, ...camera({ pan: 1 }) },
      "1201 image_tail: only one of image_tail, masks and camera_control can be used",
    ],
    [
      "a path of one point",
      "image2video",
      { image: LINK, dynamic_masks: [{ mask: LINK, trajectories: [{ x: 1, y: 1 }] }] },
      "1201 dynamic_masks[0].trajectories: from 2 to 77 points are required",
    ],
    ["no pictures", "multi-image2video", { prompt: "x" }, "1201 image_list: cannot be empty"],
    [
      "an image that does not exist",
      "omni-video",
      { prompt: "<<<image_2>>>", aspect_ratio: "1:1", image_list: [{ image_url: LINK }] },
      "1201 prompt: <<<image_2>>> is not among the 1 given",
    ],
    [
      "no shape",
      "omni-video",
      { prompt: "x" },
      "1201 aspect_ratio: is required without a first frame and a video",
    ],
    [
      "an end without a beginning",
      "omni-video",
      { prompt: "x", aspect_ratio: "1:1", image_list: [{ image_url: LINK, type: "end_frame" }] },
      "1201 image_list: an end frame needs a first frame",
    ],
    [
      "sound beside a video",
      "omni-video",
      { model_name: "kling-v3-omni", prompt: "x", sound: "on", video_list: [{ video_url: LINK }] },
      "1201 sound: cannot be on with a reference video",
    ],
    ["another scenario", "lip-sync", { prompt: "x" }, "1202 The requested method is invalid"],
    [
      "blocked content",
      "text2video",
      { prompt: "[1301]" },
      "1301 Trigger the content security policy of the platform",
    ],
    ["no units left", "text2video", { prompt: "[1102]" }, "1102 Resource pack depleted or expired"],
  ];
  test.each(older)("older style: %s", async (_what, scenario, order, expected) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await caller(simulator).v1(order, scenario);

    expect(`${textAt(body, "code")} ${textAt(body, "message")}`).toBe(expected);
    expect(status).toBe({ 1203: 404, 1202: 404, 1102: 429 }[textAt(body, "code")] ?? 400);
    expect(Object.keys(body ?? {})).toEqual(["code", "message", "request_id"]);
  });

  const first = { type: "first_frame", url: LINK };
  const last = { type: "last_frame", url: LINK };
  const refer = { type: "refer_image", url: LINK };
  const element = { type: "element", element_id: "1" };
  const feature = { type: "feature_video", url: LINK };
  const base = { type: "base_video", url: LINK };
  const square = { aspect_ratio: "1:1" };

  const newer: [string, string, JsonObject, string][] = [
    ["no prompt", "text-to-video/kling-3.0", {}, "1201 prompt: cannot be empty"],
    [
      "a long prompt",
      "text-to-video/kling-3.0",
      { prompt: "x".repeat(3_073) },
      "1201 prompt: at most 3072 characters are allowed",
    ],
    [
      "seven shots",
      "text-to-video/kling-3.0",
      { prompt: "shot 1, 2, x; ".repeat(7) },
      "1201 prompt: at most 6 shots are allowed",
    ],
    [
      "another model",
      "text-to-video/kling-3.0-omni",
      { prompt: "x" },
      "1203 The model kling-3.0-omni does not exist",
    ],
    [
      "4k of a smaller model",
      "text-to-video/kling-3.0-turbo",
      { prompt: "x", settings: { resolution: "4k" } },
      "1201 Invalid value: '4k'. Supported values are: '720p' and '1080p'.",
    ],
    [
      "seconds as a text",
      "text-to-video/kling-3.0",
      { prompt: "x", settings: { duration: "5" } },
      '1201 settings.duration: "5" is none of 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15',
    ],
    [
      "6 seconds of an older model",
      "text-to-video/kling-2.6",
      { prompt: "x", settings: { duration: 6 } },
      "1201 settings.duration: 6 is none of 5, 10",
    ],
    [
      "sound of a silent model",
      "text-to-video/kling-2.5-turbo",
      { prompt: "x", settings: { audio: "off" } },
      "1201 settings.audio: is not supported by the current model",
    ],
    [
      "shots of the fast model",
      "text-to-video/kling-3.0-turbo",
      { prompt: "x", settings: { multi_shot: false } },
      "1201 settings.multi_shot: is not supported by the current model",
    ],
    [
      "sound in 720p",
      "text-to-video/kling-2.6",
      { prompt: "x", settings: { audio: "native" } },
      "1201 settings.resolution: must be 1080p with native audio or a last frame",
    ],
    [
      "a ratio beside an image",
      "image-to-video/kling-3.0",
      { contents: [first], settings: square },
      "1201 settings.aspect_ratio: is not supported by the current model",
    ],
    ["no contents", "image-to-video/kling-3.0", {}, "1201 Missing required parameter: 'contents'."],
    [
      "words alone",
      "image-to-video/kling-3.0",
      { contents: [{ type: "prompt", text: "x" }] },
      "1201 contents: a first frame is required",
    ],
    [
      "an end without a beginning",
      "image-to-video/kling-3.0",
      { contents: [last] },
      "1201 contents: a last frame needs a first frame",
    ],
    [
      "an end of the fast model",
      "image-to-video/kling-3.0-turbo",
      { contents: [first, last] },
      "1201 contents: a last frame is not supported by the current model",
    ],
    [
      "an end in 720p",
      "image-to-video/kling-2.6",
      { contents: [first, last] },
      "1201 settings.resolution: must be 1080p with native audio or a last frame",
    ],
    [
      "a video to begin with",
      "image-to-video/kling-3.0",
      { contents: [first, feature] },
      "1201 contents[1].type: 'feature_video' is not supported by the current model",
    ],
    [
      "no shape",
      "omni-video/kling-3.0-omni",
      { contents: [refer] },
      "1201 settings.aspect_ratio: is required without a first frame and a reference video",
    ],
    [
      "two videos",
      "omni-video/kling-3.0-omni",
      { contents: [feature, base] },
      "1201 contents: at most one reference video is allowed",
    ],
    [
      "sound beside a feature",
      "omni-video/kling-3.0-omni",
      { contents: [feature], settings: { audio: "original" } },
      "1201 contents: a feature video needs audio off",
    ],
    [
      "a feature in one shot",
      "omni-video/kling-3.0-omni",
      { contents: [feature], settings: { multi_shot: false } },
      "1201 contents: a feature video needs multi_shot",
    ],
    [
      "an end beside a feature",
      "omni-video/kling-3.0-omni",
      { contents: [first, last, feature] },
      "1201 contents: a last frame cannot be used with a feature video",
    ],
    [
      "a beginning beside a base",
      "omni-video/kling-3.0-omni",
      { contents: [first, base] },
      "1201 contents: frames cannot be used with a base video",
    ],
    [
      "shots of a base",
      "omni-video/kling-3.0-omni",
      { contents: [base], settings: { multi_shot: true } },
      "1201 contents: a base video cannot have multi_shot",
    ],
    [
      "new sound for a base",
      "omni-video/kling-3.0-omni",
      { contents: [base], settings: { audio: "native" } },
      "1201 contents: a base video cannot have native audio",
    ],
    [
      "a length for a base",
      "omni-video/kling-3.0-omni",
      { contents: [base], settings: { duration: 5 } },
      "1201 settings.duration: cannot be set with a base video",
    ],
    [
      "sound of nothing",
      "omni-video/kling-3.0-omni",
      { contents: [refer], settings: { ...square, audio: "original" } },
      "1201 contents: original audio needs a reference video",
    ],
    [
      "frames beside reference images",
      "omni-video/kling-o1",
      { contents: [first, refer] },
      "1201 contents: frames and reference images cannot be used together",
    ],
    [
      "7 seconds of a beginning",
      "omni-video/kling-o1",
      { contents: [first], settings: { duration: 7 } },
      "1201 settings.duration: must be 5 or 10 with a first frame alone",
    ],
    [
      "four elements beside a frame",
      "omni-video/kling-3.0-omni",
      { contents: [first, element, element, element, element] },
      "1201 contents: at most 3 elements are allowed with frames",
    ],
    [
      "eight references",
      "omni-video/kling-3.0-omni",
      { contents: Array(8).fill(refer), settings: square },
      "1201 contents: at most 7 reference images and elements are allowed",
    ],
    [
      "five references beside a video",
      "omni-video/kling-3.0-omni",
      { contents: [feature, ...Array(5).fill(refer)] },
      "1201 contents: at most 4 reference images and elements are allowed",
    ],
    [
      "a video in the request itself",
      "omni-video/kling-3.0-omni",
      { contents: [{ type: "base_video", url: "AAAA" }] },
      "1201 contents[0].url: must be a URL",
    ],
    [
      "another product",
      "motion-control/kling-3.0",
      { contents: [first] },
      "1202 The requested method is invalid",
    ],
  ];
  test.each(newer)("newer style: %s", async (_what, path, order, expected) => {
    await using simulator = await clockedSandbox();
    const { body } = await simulator.call("POST", `/kling/${path}`, order);

    expect(`${textAt(body, "code")} ${textAt(body, "message")}`).toBe(expected);
  });

  test("an external id that the account has used before, in either style", async () => {
    await using simulator = await clockedSandbox();
    await caller(simulator).v1({ prompt: "x", external_task_id: "once" });
    const again = await caller(simulator).v3({
      prompt: "x",
      options: { external_task_id: "once" },
    });

    expect(again).toMatchObject({
      status: 400,
      body: { code: 1201, message: "external_task_id: 'once' already exists" },
    });
  });

  test("more concurrent tasks than allowed, until one of them ends", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    await caller(simulator).v1({ prompt: "x" });
    const second = await caller(simulator).v3({ prompt: "x" });
    simulator.wait(1_300);

    expect(second).toMatchObject({
      status: 429,
      body: { code: 1303, message: "parallel task over resource pack limit" },
    });
    expect((await caller(simulator).v3({ prompt: "x" })).status).toBe(200);
  });

  test("a lost response leaves the task behind, under the client's id", async () => {
    await using simulator = await clockedSandbox();
    const order = { prompt: "[timeout]", options: { external_task_id: "lost" } };
    const lost = await caller(simulator).v3(order);
    const found = await simulator.call("GET", "/kling/tasks?external_task_ids=lost");

    expect(lost).toMatchObject({ status: 504, body: { code: 5002 } });
    expect(found.body).toMatchObject({ data: [{ external_id: "lost", status: "submitted" }] });
  });
});

describe("callbacks", () => {
  const SECRET = "whsec_dGVzdHNlY3JldHRlc3RzZWNyZXR0ZXN0c2VjcmV0MTI=";
  const OTHER = "whsec_b3RoZXJzZWNyZXRvdGhlcnNlY3JldG90aGVyc2VjMTI=";
  const quick = { queuedMs: 20, runningMs: 20 };

  test("the published signature equals the computed one", () => {
    const body =
      '{"id":"1234567890","status":"succeeded","message":"","create_time":1781080778802,"update_time":1781080794151}';

    expect(webhookSignature(SECRET, "9876543210", "1781080794", body)).toBe(
      "v1,UsKlJP00XoQyOn410NM9xv34sP+Gl0jnOO9Lcpr7NJ4=",
    );
  });

  test("have the plain task at every change, unsigned without a secret", async () => {
    await using simulator = await clockedSandbox({ now: Date.now, tasks: quick });
    using receiver = openReceiver();
    const options = { callback_url: receiver.url };
    const { body } = await caller(simulator).v3({ prompt: "a cat", options });
    const id = textAt(body, "data", "id");
    await waitFor(() => receiver.heard.length === 3);

    expect(receiver.heard.map((each) => textAt(each.body, "status"))).toEqual([
      "submitted",
      "processing",
      "succeeded",
    ]);
    expect(receiver.heard.at(-1)?.body).toEqual((await caller(simulator).task(id)) ?? null);
    expect(receiver.heard[0]?.headers.get("webhook-signature")).toBeNull();
  });

  test("have the plain data in the older style", async () => {
    await using simulator = await clockedSandbox({ now: Date.now, tasks: quick });
    using receiver = openReceiver();
    await caller(simulator).v1({ prompt: "a cat [fail]", callback_url: receiver.url });
    await waitFor(() => receiver.heard.length === 3);

    expect(receiver.heard.at(-1)?.body).toMatchObject({
      task_id: expect.stringMatching(/^\d{18}$/),
      task_status: "failed",
      task_status_msg: "Server internal error",
    });
  });

  test("are signed with every secret, and keep their id over all attempts", async () => {
    const callbackSecrets = [SECRET, OTHER];
    const tasks = { ...quick, callbackSecrets, callbackRetryMs: 1 };
    await using simulator = await clockedSandbox({ now: Date.now, tasks });
    using receiver = openReceiver();
    receiver.answerWith(500, 500);
    await caller(simulator).v1({ prompt: "a cat [stuck]", callback_url: receiver.url });
    await waitFor(() => receiver.heard.length === 4);
    const ids = receiver.heard.map(({ headers }) => headers.get("webhook-id"));

    for (const { headers, text } of receiver.heard) {
      const [id, timestamp] = ["id", "timestamp"].map((name) => headers.get(`webhook-${name}`));
      const signatures = callbackSecrets.map((secret) =>
        webhookSignature(secret, id ?? "", timestamp ?? "", text),
      );
      expect(headers.get("webhook-signature")).toBe(signatures.join(" "));
    }
    expect(new Set(ids).size).toBe(2);
  });

  test("are not repeated after a refusal by the receiver", async () => {
    await using simulator = await clockedSandbox({
      now: Date.now,
      tasks: { ...quick, callbackRetryMs: 1 },
    });
    using receiver = openReceiver();
    receiver.answerWith(401);
    await caller(simulator).v1({ prompt: "a cat", callback_url: receiver.url });
    await waitFor(() => simulator.sandbox.callbacks.length === 3);

    expect(simulator.sandbox.callbacks.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  test("can arrive late and out of order", async () => {
    const tasks = { ...quick, callbackOrder: "reversed" as const };
    await using simulator = await clockedSandbox({ now: Date.now, tasks });
    using receiver = openReceiver();
    const options = { callback_url: receiver.url };
    await caller(simulator).v3({ prompt: "a cat", options });
    await waitFor(() => receiver.heard.length === 3);

    expect(receiver.heard.map(({ body }) => textAt(body, "status"))).toEqual([
      "succeeded",
      "processing",
      "submitted",
    ]);
  });
});
