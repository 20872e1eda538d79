import { describe, expect, test } from "bun:test";
import { waitFor } from "../../test/wait.ts";
import type { Json, JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, openReceiver, type ClockedSandbox } from "./testing/tasks.ts";

const PATH = "/ark/api/v3/contents/generations/tasks";
const MODEL = "doubao-seedance-2-0-260128";
const OLD = "doubao-seedance-1-0-pro-250528";
const LITE = "doubao-seedance-1-0-lite-i2v-250428";
const NEW = "doubao-seedance-2-5-260701";
const MIDDLE = "doubao-seedance-1-5-pro-251215";
const LINK = "https://pictures.example/a.png";

function ask(text: string, extra: JsonObject = {}, more: readonly Json[] = []): JsonObject {
  return { model: MODEL, content: [{ type: "text", text }, ...more], ...extra };
}

function image(role?: string, url = LINK): JsonObject {
  return { type: "image_url", image_url: { url }, ...(role === undefined ? {} : { role }) };
}

const clip = { type: "video_url", video_url: { url: LINK }, role: "reference_video" };
const sound = { type: "audio_url", audio_url: { url: LINK }, role: "reference_audio" };

/** Orders a video, and waits until it is done. */
async function finished(simulator: ClockedSandbox, body: JsonObject): Promise<JsonObject> {
  const { body: created } = await simulator.call("POST", PATH, body);
  simulator.wait(1_300);
  return asObject((await simulator.call("GET", `${PATH}/${textAt(created, "id")}`)).body);
}

describe("a task", () => {
  test("is queued, runs and succeeds, with the vendor's state names", async () => {
    await using simulator = await clockedSandbox();
    const created = await simulator.call("POST", PATH, ask("a cat", { seed: 42, duration: 4 }));
    const id = textAt(created.body, "id");
    const read = async () => (await simulator.call("GET", `${PATH}/${id}`)).body;
    const skeleton = {
      id,
      model: MODEL,
      error: null,
      created_at: 1_767_268_800,
      service_tier: "default",
      execution_expires_after: 172_800,
      generate_audio: true,
    };

    expect(created).toEqual({ status: 200, body: { id } });
    expect(id).toMatch(/^cgt-20260101120000-[a-z\d]{5}$/);
    expect(await read()).toEqual({ ...skeleton, status: "queued", updated_at: 1_767_268_800 });
    simulator.wait(300);
    expect(await read()).toEqual({ ...skeleton, status: "running", updated_at: 1_767_268_800 });
    simulator.wait(1_000);
    expect(await read()).toEqual({
      ...skeleton,
      status: "succeeded",
      updated_at: 1_767_268_801,
      content: {
        video_url: expect.stringMatching(
          /\/ark\/files\/cgt-[\w-]+\/video\.mp4\?X-Tos-Date=20260101T120001Z&X-Tos-Expires=86400&X-Tos-Signature=[\da-f]{64}$/,
        ),
      },
      usage: { completion_tokens: 86_400, total_tokens: 86_400 },
      seed: 42,
      resolution: "720p",
      ratio: "16:9",
      duration: 4,
      framespersecond: 24,
    });
  });

  test.each<[string, string, Json]>([
    [
      "[moderate]",
      "failed",
      {
        code: "OutputVideoSensitiveContentDetected",
        message: expect.stringMatching(/content policy\. Request id: 02/),
      },
    ],
    [
      "[OutputVideoSensitiveContentDetected.PolicyViolation]",
      "failed",
      {
        code: "OutputVideoSensitiveContentDetected.PolicyViolation",
        message: expect.any(String),
      },
    ],
    ["[fail]", "failed", { code: "InternalServiceError", message: expect.any(String) }],
    ["[expire]", "expired", null],
    ["[stuck]", "running", null],
  ])("with %s in the text has that result", async (mark, status, error) => {
    await using simulator = await clockedSandbox();
    const task = await finished(simulator, ask(`a cat ${mark}`));

    expect(task).toMatchObject({ status });
    expect(task["error"]).toEqual(error);
    expect(task).not.toContainKeys(["content", "usage"]);
  });

  test("that is stuck expires at its time limit", async () => {
    await using simulator = await clockedSandbox();
    const task = await finished(simulator, ask("[stuck]", { execution_expires_after: 3_600 }));
    simulator.wait(3_600_000);

    expect((await simulator.call("GET", `${PATH}/${textAt(task, "id")}`)).body).toMatchObject({
      status: "expired",
      error: null,
      updated_at: 1_767_268_800 + 3_600,
    });
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox();
    const lost = await simulator.call("POST", PATH, ask("[timeout]"));

    expect(lost).toMatchObject({ status: 504, body: { error: { code: "InternalServiceError" } } });
    expect((await simulator.call("GET", PATH)).body).toMatchObject({ total: 1 });
  });

  test("exists although its response never came", async () => {
    await using simulator = await clockedSandbox();
    const leave = new AbortController();
    const silent = fetch(simulator.sandbox.url + PATH, {
      method: "POST",
      headers: { authorization: "Bearer sk-test", "content-type": "application/json" },
      body: JSON.stringify(ask("a cat [[fault:hang]]")),
      signal: leave.signal,
    }).catch(() => "nothing");
    await waitFor(() => simulator.sandbox.requests.length === 1);
    leave.abort();

    expect(await silent).toBe("nothing");
    expect((await simulator.call("GET", PATH)).body).toMatchObject({ total: 1 });
  });

  test("has the faults of all vendors", async () => {
    await using simulator = await clockedSandbox();
    const { status, body } = await simulator.call("POST", PATH, ask("[[fault:status code=429]]"));

    expect([status, textAt(body, "error", "code")]).toEqual([
      429,
      "RateLimitExceeded.EndpointRPMExceeded",
    ]);
    expect(textAt(body, "error", "message")).toContain(textAt(body, "request_id"));
    expect(textAt(body, "request_id")).toStartWith("02");
  });

  test("tasks are shown only to their owner, for a week", async () => {
    await using simulator = await clockedSandbox();
    const id = textAt(await finished(simulator, ask("a cat")), "id");
    const path = `${PATH}/${id}`;
    const foreign = await simulator.call("GET", path, undefined, { authorization: "Bearer other" });
    const mine = (await simulator.call("GET", path)).status;
    simulator.wait(7 * 86_400_000);

    expect(mine).toBe(200);
    expect((await simulator.call("GET", path)).status).toBe(404);
    expect(foreign).toEqual({
      status: 404,
      body: {
        error: {
          code: "ResourceNotFound",
          message: expect.stringContaining(`The specified task ${id} is not found Request id: 02`),
          param: "",
          type: "NotFound",
        },
        request_id: expect.stringMatching(/^02\d{13}/),
      },
    });
  });
});

describe("the video", () => {
  testWithFfmpeg("has the requested size, length and sound", async () => {
    await using simulator = await clockedSandbox();
    const order = { resolution: "480p", ratio: "9:16", generate_audio: false };
    const task = await finished(simulator, ask("a cat", order));
    const file = await (await fetch(textAt(task, "content", "video_url"))).bytes();

    expect(await probe(file, "codec_name,width,height,duration,nb_frames")).toBe(
      "h264|496|864|5.000000|120",
    );
  });

  test("is served in ranges, until its link expires", async () => {
    await using simulator = await clockedSandbox();
    const url = textAt(await finished(simulator, ask("a cat")), "content", "video_url");
    const part = await fetch(url, { headers: { range: "bytes=4-7" } });
    const head = await fetch(url, { method: "HEAD" });
    simulator.wait(86_400_000);
    const late = await fetch(url);

    expect([part.status, await part.text()]).toEqual([206, "ftyp"]);
    expect(part.headers.get("content-range")).toBe(
      `bytes 4-7/${head.headers.get("content-length")}`,
    );
    expect([head.status, head.headers.get("content-type"), await head.text()]).toEqual([
      200,
      "video/mp4",
      "",
    ]);
    expect([late.status, await late.text()]).toEqual([
      403,
      expect.stringContaining("Request has expired"),
    ]);
  });

  test("comes with its last frame, an image, on request", async () => {
    await using simulator = await clockedSandbox();
    const order = ask("a cat", { return_last_frame: true, resolution: "480p" });
    const url = textAt(await finished(simulator, order), "content", "last_frame_url");
    const picture = new Bun.Image(await (await fetch(url)).bytes());

    expect(await picture.metadata()).toMatchObject({ format: "png", width: 864, height: 496 });
  });

  const outcomes: [string, JsonObject, Record<string, unknown>][] = [
    [
      "the usual size of an old model",
      ask("x", { model: OLD }),
      { resolution: "1080p", generate_audio: undefined },
    ],
    [
      "frames instead of seconds",
      ask("x", { model: OLD, frames: 29 }),
      { frames: 29, duration: undefined },
    ],
    [
      "flags in the text",
      ask("x --rs 480p --dur 3 --rt 1:1 --seed 7", { model: OLD }),
      { resolution: "480p", duration: 3, ratio: "1:1", seed: 7 },
    ],
    [
      "flags that make no sense",
      ask("x --rs 9p --dur 99", { model: OLD }),
      { resolution: "1080p", duration: 5 },
    ],
    ["a field before a flag", ask("x --dur 3", { model: OLD, duration: 8 }), { duration: 8 }],
    ["flags for a model that ignores them", ask("x --dur 9"), { duration: 5 }],
    [
      "a fifth of the tokens for 480p",
      ask("x", { resolution: "480p" }),
      { usage: { completion_tokens: 50_220, total_tokens: 50_220 } },
    ],
    [
      "seconds of a video that it refers to",
      ask("x", {}, [clip]),
      { usage: { completion_tokens: 216_000, total_tokens: 216_000 } },
    ],
    [
      "a search",
      ask("x", { tools: [{ type: "web_search" }] }),
      {
        tools: [{ type: "web_search" }],
        usage: { completion_tokens: 108_000, total_tokens: 108_000, tool_usage: { web_search: 1 } },
      },
    ],
    [
      "4k",
      ask("x", { resolution: "4k" }),
      { usage: { completion_tokens: 972_000, total_tokens: 972_000 } },
    ],
    [
      "a priority and a name of the end user",
      ask("x", { priority: 3, safety_identifier: "u1" }),
      { priority: 3, safety_identifier: "u1" },
    ],
    [
      "a cheap draft",
      ask("x", { model: MIDDLE, draft: true, service_tier: "flex" }),
      { draft: true, resolution: "480p", service_tier: "flex" },
    ],
  ];
  test.each(outcomes)("%s", async (_what, order, outcome) => {
    await using simulator = await clockedSandbox();
    const { status, ...task } = await finished(simulator, order);

    expect(status).toBe("succeeded");
    expect<unknown>(
      Object.fromEntries(Object.keys(outcome).map((name) => [name, task[name]])),
    ).toEqual(outcome);
  });

  test("has the model's own length on request", async () => {
    await using simulator = await clockedSandbox();
    const { duration } = await finished(simulator, ask("a cat", { duration: -1 }));

    expect(Number(duration)).toBeGreaterThanOrEqual(4);
    expect(Number(duration)).toBeLessThanOrEqual(15);
  });

  test("has the ratio of its first frame", async () => {
    await using simulator = await clockedSandbox();
    const url = pngUrl(600, 800);
    const task = await finished(simulator, ask("", {}, [image("first_frame", url)]));

    expect(task).toMatchObject({ status: "succeeded", ratio: "3:4" });
  });

  test("can be made from an earlier draft, at full size", async () => {
    await using simulator = await clockedSandbox();
    const draft = await finished(simulator, ask("a cat", { model: MIDDLE, draft: true, seed: 9 }));
    const reference = { type: "draft_task", draft_task: { id: textAt(draft, "id") } };
    const order = { model: MIDDLE, content: [reference], resolution: "1080p" };
    const final = await finished(simulator, order);

    expect(final).toMatchObject({
      status: "succeeded",
      draft_task_id: textAt(draft, "id"),
      resolution: "1080p",
      seed: 9,
    });
    expect(final).not.toContainKey("draft");
  });
});

describe("refused with the vendor's message", () => {
  const field = (param: string, reason: string) =>
    `400 | BadRequest | InvalidParameter | ${param} | The parameter \`${param}\` specified in the request is not valid: ${reason}`;
  const missing = (param: string) =>
    `400 | BadRequest | MissingParameter | ${param} | The request failed because it is missing \`${param}\` parameter.`;
  const unsupported = "not supported by the current model.";
  const range = (name: string, bound: string, got: number) =>
    `Invalid '${name}': expected a value ${bound}, but got ${got}.`;

  const refused: [string, JsonObject, string][] = [
    ["no model", { content: [{ type: "text", text: "x" }] }, missing("model")],
    ["no content", { model: MODEL }, missing("content")],
    [
      "a model that is not there",
      ask("x", { model: "sora-2" }),
      "404 | NotFound | InvalidEndpointOrModel.NotFound |  | The model or endpoint sora-2 does not exist or you do not have access to it.",
    ],
    [
      "no text and nothing else",
      ask(" "),
      field("content", "text is required where there is no other content."),
    ],
    ["3 seconds", ask("x", { duration: 3 }), field("duration", range("duration", ">= 4", 3))],
    ["16 seconds", ask("x", { duration: 16 }), field("duration", range("duration", "<= 15", 16))],
    [
      "13 seconds of an old model",
      ask("x", { model: OLD, duration: 13 }),
      field("duration", range("duration", "<= 12", 13)),
    ],
    [
      "an open length of an old model",
      ask("x", { model: OLD, duration: -1 }),
      field("duration", range("duration", ">= 2", -1)),
    ],
    [
      "31 seconds of the newest model",
      ask("x", { model: NEW, duration: 31 }),
      field("duration", range("duration", "<= 30", 31)),
    ],
    [
      "a length that is a text",
      ask("x", { duration: "5" }),
      field(
        "duration",
        "Invalid type for 'duration': expected an integer, but got a string instead.",
      ),
    ],
    [
      "1080p of the fast model",
      ask("x", { model: "doubao-seedance-2-0-fast-260128", resolution: "1080p" }),
      field("resolution", `1080p is ${unsupported}`),
    ],
    [
      "4k of the newest model",
      ask("x", { model: NEW, resolution: "4k" }),
      field("resolution", `4k is ${unsupported}`),
    ],
    [
      "upper case",
      ask("x", { resolution: "720P" }),
      field(
        "resolution",
        "Invalid value: '720P'. Supported values are: '480p', '720p', '1080p', and '4k'.",
      ),
    ],
    ["frames of a new model", ask("x", { frames: 29 }), field("frames", unsupported)],
    [
      "30 frames",
      ask("x", { model: OLD, frames: 30 }),
      field("frames", "expected a value of 25 + 4n."),
    ],
    ["a seed below -1", ask("x", { seed: -2 }), field("seed", range("seed", ">= -1", -2))],
    [
      "a fixed camera",
      ask("x", { camera_fixed: true }),
      field("camera_fixed", "not supported by the current model or kind of task."),
    ],
    ["a draft of a model without", ask("x", { draft: true }), field("draft", unsupported)],
    [
      "a draft in 720p",
      ask("x", { model: MIDDLE, draft: true, resolution: "720p" }),
      field("resolution", "only 480p is supported for drafts."),
    ],
    ["the cheap tier", ask("x", { service_tier: "flex" }), field("service_tier", unsupported)],
    [
      "a search with an old model",
      ask("x", { model: OLD, tools: [{ type: "web_search" }] }),
      field("tools", unsupported),
    ],
    [
      "another tool",
      ask("x", { tools: [{ type: "function" }] }),
      field("tools.type", "expected web_search as the type of every tool."),
    ],
    [
      "a priority of 10",
      ask("x", { priority: 10 }),
      field("priority", range("priority", "<= 9", 10)),
    ],
    [
      "a film of another format",
      ask("x", { output_format: "mov" }),
      field("output_format", unsupported),
    ],
    [
      "an hour less a second",
      ask("x", { execution_expires_after: 3_599 }),
      field("execution_expires_after", range("execution_expires_after", ">= 3600", 3_599)),
    ],
    [
      "a long name of the end user",
      ask("x", { safety_identifier: "u".repeat(65) }),
      field(
        "safety_identifier",
        "Invalid 'safety_identifier': string too long. Expected at most 64 characters, but got 65.",
      ),
    ],
    [
      "a callback to nowhere",
      ask("x", { callback_url: "here" }),
      field("callback_url", "expected a URL."),
    ],
    [
      "two images without roles",
      ask("x", {}, [image(), image()]),
      field(
        "content[1]",
        "role must be specified when there is more than one image or other media.",
      ),
    ],
    [
      "a last frame alone",
      ask("x", {}, [image("last_frame")]),
      field("content[1]", "a last frame image needs a first frame image."),
    ],
    [
      "two first frames",
      ask("x", {}, [image("first_frame"), image("first_frame")]),
      field("content[2]", "at most 1 first frame images are allowed."),
    ],
    [
      "a last frame beside references",
      ask("x", {}, [image("reference_image"), image("last_frame")]),
      field("content[2]", "last frame image content cannot be mixed with reference media content."),
    ],
    [
      "ten references",
      ask("x", {}, Array(10).fill(image("reference_image"))),
      field("content[10]", "at most 9 reference images are allowed."),
    ],
    [
      "five references of the light model",
      ask("x", { model: LITE }, Array(5).fill(image("reference_image"))),
      field("content[5]", "at most 4 reference images are allowed."),
    ],
    [
      "a reference with an old model",
      ask("x", { model: OLD }, [image("reference_image")]),
      field("content", `reference media are ${unsupported}`),
    ],
    [
      "four videos",
      ask("x", {}, Array(4).fill(clip)),
      field("content[4]", "at most 3 reference videos are allowed."),
    ],
    [
      "sound alone",
      ask("x", {}, [sound]),
      field("content", "reference audio needs a reference image or video."),
    ],
    [
      "the gateway's own word for a role",
      ask("x", {}, [image("first_image")]),
      field(
        "content[1].role",
        "Invalid value: 'first_image'. Supported values are: 'first_frame', 'last_frame', and 'reference_image'.",
      ),
    ],
    [
      "a video without a role",
      ask("x", {}, [{ type: "video_url", video_url: { url: LINK } }]),
      field("content[1].role", "role must be specified as reference_video."),
    ],
    [
      "a video in the request itself",
      ask("x", {}, [{ ...clip, video_url: { url: "data:video/mp4;base64,AAAA" } }]),
      field("content[1]", "video_url.url must be a link or an asset."),
    ],
    [
      "a link that is empty",
      ask("x", {}, [image(undefined, "")]),
      "400 | BadRequest | InvalidImageURL.EmptyURL | content[1] | The request failed because the image URL is empty.",
    ],
    [
      "an image in upper case",
      ask("x", {}, [image(undefined, "data:image/PNG;base64,AAAA")]),
      "400 | BadRequest | InvalidImageURL.InvalidFormat | content[1] | The request failed because the image URL is neither a link nor an asset nor a data URI of a known format.",
    ],
    [
      "a small image",
      ask("x", {}, [image(undefined, pngUrl(200, 300))]),
      field("content[1]", "the image is 200x300, expected sides of at least 300 pixels."),
    ],
    [
      "a draft that is not there",
      { model: MIDDLE, content: [{ type: "draft_task", draft_task: { id: "cgt-1" } }] },
      field("content", "the draft task cgt-1 is not found or not done."),
    ],
    [
      "a real person",
      ask("[InputImageSensitiveContentDetected.PrivacyInformation]", {}, [image()]),
      "400 | BadRequest | InputImageSensitiveContentDetected.PrivacyInformation | content[1] | The request failed, as it was asked to by the words in brackets.",
    ],
    [
      "too many at once",
      ask("[QuotaExceeded]"),
      "429 | TooManyRequests | QuotaExceeded |  | The request failed, as it was asked to by the words in brackets.",
    ],
    [
      "no money",
      ask("[AccountOverdueError]"),
      "403 | Forbidden | AccountOverdueError |  | The request failed, as it was asked to by the words in brackets.",
    ],
  ];
  test.each(refused)("%s", async (_what, order, expected) => {
    await using simulator = await clockedSandbox();
    const { status, body } = await simulator.call("POST", PATH, order);
    const words = ["type", "code", "param", "message"].map((name) => textAt(body, "error", name));
    const [message = "", requestId] = (words.pop() ?? "").split(" Request id: ");

    expect([status, ...words, message].join(" | ")).toBe(expected);
    expect(at(body, "request_id")).toBe(requestId ?? "");
  });

  test("a missing or unknown key", async () => {
    await using simulator = await clockedSandbox({ apiKeys: ["sk-good"] });
    const { status, body } = await simulator.call("POST", PATH, ask("x"));

    expect(status).toBe(401);
    expect(body).toMatchObject({
      error: { code: "AuthenticationError", type: "Unauthorized" },
      request_id: expect.any(String),
    });
  });

  test("more concurrent tasks than allowed", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    await simulator.call("POST", PATH, ask("x"));
    const second = await simulator.call("POST", PATH, ask("x"));
    simulator.wait(1_300);
    const third = await simulator.call("POST", PATH, ask("x"));

    expect(second).toMatchObject({ status: 429, body: { error: { code: "QuotaExceeded" } } });
    expect(third.status).toBe(200);
  });
});

describe("tasks are listed", () => {
  test("by page, and with filters", async () => {
    await using simulator = await clockedSandbox();
    const ids: string[] = [];
    for (const text of ["one", "two [fail]", "three"]) {
      ids.unshift(textAt((await simulator.call("POST", PATH, ask(text))).body, "id"));
      simulator.wait(1_300);
    }
    ids.unshift(textAt((await simulator.call("POST", PATH, ask("x", { model: OLD }))).body, "id"));
    const list = async (query: string) => {
      const { body } = await simulator.call("GET", `${PATH}?${query}`);
      const items = at(body, "items");
      const found = Array.isArray(items) ? items.map((item) => textAt(item, "id")) : [];
      return [at(body, "total"), ...found.map((id) => ids.indexOf(id))];
    };

    expect(await list("")).toEqual([4, 0, 1, 2, 3]);
    expect(await list("page_num=2&page_size=3")).toEqual([4, 3]);
    expect(await list("filter.status=failed")).toEqual([1, 2]);
    expect(await list(`filter.model=${OLD}`)).toEqual([1, 0]);
    expect(await list(`filter.task_ids=${ids[1]}&filter.task_ids=${ids[3]}`)).toEqual([2, 1, 3]);
    expect((await simulator.call("GET", `${PATH}?page_size=501`)).status).toBe(400);
  });
});

describe("a task is cancelled", () => {
  const del = (simulator: ClockedSandbox, id: string) => simulator.call("DELETE", `${PATH}/${id}`);

  test("while it is queued, and its record stays for a day", async () => {
    await using simulator = await clockedSandbox();
    const id = textAt((await simulator.call("POST", PATH, ask("x"))).body, "id");
    const deleted = await del(simulator, id);
    const read = await simulator.call("GET", `${PATH}/${id}`);
    const again = (await del(simulator, id)).status;
    simulator.wait(86_400_000);

    expect(deleted).toEqual({ status: 200, body: {} });
    expect(read.body).toMatchObject({ status: "cancelled", error: null });
    expect(again).toBe(400);
    expect((await simulator.call("GET", `${PATH}/${id}`)).status).toBe(404);
  });

  test("but not while it runs", async () => {
    await using simulator = await clockedSandbox();
    const id = textAt((await simulator.call("POST", PATH, ask("x"))).body, "id");
    simulator.wait(300);

    expect((await del(simulator, id)).status).toBe(400);
    expect((await simulator.call("GET", `${PATH}/${id}`)).body).toMatchObject({
      status: "running",
    });
  });

  test("and its record is removed, if it is done", async () => {
    await using simulator = await clockedSandbox();
    const id = textAt(await finished(simulator, ask("x [fail]")), "id");

    expect((await del(simulator, id)).status).toBe(200);
    expect((await simulator.call("GET", `${PATH}/${id}`)).status).toBe(404);
  });
});

describe("callbacks", () => {
  test("report every change with the same body as a poll", async () => {
    await using simulator = await clockedSandbox({
      now: Date.now,
      tasks: { queuedMs: 20, runningMs: 20 },
    });
    using receiver = openReceiver();
    const order = ask("a cat", { callback_url: receiver.url });
    const id = textAt((await simulator.call("POST", PATH, order)).body, "id");
    await waitFor(() => receiver.heard.length === 3);
    const last = await simulator.call("GET", `${PATH}/${id}`);

    expect(receiver.heard.map(({ body }) => textAt(body, "status"))).toEqual([
      "queued",
      "running",
      "succeeded",
    ]);
    expect(receiver.heard.at(-1)?.body).toEqual(last.body ?? null);
  });

  test("are tried four times, and not sent for a cancelled task", async () => {
    await using simulator = await clockedSandbox({
      now: Date.now,
      tasks: { queuedMs: 300, callbackRetryMs: 1 },
    });
    using receiver = openReceiver();
    receiver.answerWith(500, 302, 404, 500, 500);
    const order = ask("a cat", { callback_url: receiver.url });
    const id = textAt((await simulator.call("POST", PATH, order)).body, "id");
    await waitFor(() => simulator.sandbox.callbacks.length === 4);
    await simulator.call("DELETE", `${PATH}/${id}`);
    const second = ask("a dog", { callback_url: `${receiver.url}/2` });
    simulator.sandbox.tasks.set({ queuedMs: 0, runningMs: 1_000 });
    await simulator.call("POST", PATH, second);
    await waitFor(() => receiver.heard.some(({ body }) => textAt(body, "status") === "running"));

    expect(
      simulator.sandbox.callbacks.slice(0, 4).map(({ attempt, status }) => [attempt, status]),
    ).toEqual([
      [1, 500],
      [2, 302],
      [3, 404],
      [4, 500],
    ]);
    expect(receiver.heard.filter(({ body }) => textAt(body, "id") === id)).toHaveLength(4);
  });
});
