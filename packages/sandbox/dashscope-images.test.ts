import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type Json, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { call, download, lookAt, pngUrl } from "./testing/pictures.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const PATH = "/dashscope/api/v1/services/aigc/multimodal-generation/generation";
const TASK_PATH = "/dashscope/api/v1/services/aigc/text2image/image-synthesis";
const ASYNC = { "x-dashscope-async": "enable" };

function ask(
  model: string,
  content: readonly Json[],
  parameters: JsonObject = {},
  role = "user",
): JsonObject {
  return { model, input: { messages: [{ role, content }] }, parameters };
}

const text = { text: "A paper fox" };
const image = { image: pngUrl(800, 400) };

async function answer(body: JsonObject): Promise<JsonObject> {
  const { status, answer: given } = await call(sandbox, PATH, body);
  expect([status, at(given, "message") ?? null]).toEqual([200, null]);
  return asObject(given);
}

test("an image is generated synchronously, and returned as a public link", async () => {
  const body = await answer(ask("qwen-image-plus", [text], { size: "1140*1472" }));

  expect(body).toEqual({
    output: {
      choices: [
        {
          finish_reason: "stop",
          message: { role: "assistant", content: [{ image: expect.stringContaining("Expires=") }] },
        },
      ],
      task_metric: { TOTAL: 1, SUCCEEDED: 1, FAILED: 0 },
    },
    usage: { width: 1_140, height: 1_472, image_count: 1 },
    request_id: expect.stringMatching(/^[\da-f-]{36}$/),
  });
  const url = textAt(body, "output", "choices", 0, "message", "content", 0, "image");
  expect(await lookAt(await download(url))).toBe("png 1140x1472");
});

test("each model has its own default size, and an edit has the shape of the last image", async () => {
  const sizeOf = async (body: JsonObject) => {
    const given = await answer(body);
    return `${textAt(given, "usage", "width")}*${textAt(given, "usage", "height")}`;
  };

  expect(await sizeOf(ask("qwen-image", [text]))).toBe("1328*1328");
  expect(await sizeOf(ask("qwen-image-max", [text]))).toBe("1664*928");
  const both = [{ image: pngUrl(400, 400) }, image, text];
  expect(await sizeOf(ask("qwen-image-edit", both))).toBe("1456*720");
  expect(await sizeOf(ask("qwen-image-edit-plus", both, { size: "512*2048" }))).toBe("512*2048");
  expect(await sizeOf(ask("qwen-image-edit", [{ image: "https://a.example/fox.png" }, text]))).toBe(
    "1024*1024",
  );
});

test("several images are several parts of one response", async () => {
  const body = await answer(ask("qwen-image-edit-plus", [image, text], { n: 6 }));
  const content = at(body, "output", "choices", 0, "message", "content");
  const links = new Set(Array.from({ length: 6 }, (_, index) => textAt(content, index, "image")));

  expect(content).toHaveLength(6);
  expect(links.size).toBe(6);
  expect(at(body, "usage", "image_count")).toBe(6);
});

test("an image has a watermark only on request", async () => {
  const picture = async (parameters: JsonObject) => {
    const body = await answer(ask("qwen-image", [text], parameters));
    const url = textAt(body, "output", "choices", 0, "message", "content", 0, "image");
    return Buffer.from(await download(url)).toString("base64");
  };

  expect(await picture({ watermark: false })).toBe(await picture({}));
  expect(await picture({ watermark: true })).not.toBe(await picture({}));
});

const long = (length: number) => "x".repeat(length);

test.each<[string, JsonObject, string]>([
  ["another model", ask("gpt-4o", [text]), "404 ModelNotFound Model not exist."],
  ["no messages", { model: "qwen-image", input: { prompt: "hi" } }, "input.messages is required."],
  [
    "two messages",
    {
      model: "qwen-image",
      input: { messages: [1, 2].map(() => ({ role: "user", content: [text] })) },
    },
    "The length of input.messages must be 1.",
  ],
  [
    "another role",
    ask("qwen-image", [text], {}, "assistant"),
    "The role of the message must be user.",
  ],
  ["two texts", ask("qwen-image", [text, text]), "The content must contain exactly one text."],
  ["no text", ask("qwen-image-edit", [image]), "The content must contain exactly one text."],
  [
    "a part that is neither",
    ask("qwen-image", [text, { audio: "a" }]),
    "Each item of the content must be a text or an image.",
  ],
  [
    "801 characters",
    ask("qwen-image", [{ text: long(801) }]),
    "Range of input length should be [1, 800]",
  ],
  [
    "an image for a model without image input",
    ask("qwen-image", [image, text]),
    "The model qwen-image does not support image input.",
  ],
  [
    "nothing to edit",
    ask("qwen-image-edit", [text]),
    "The number of images should be between 1 and 3.",
  ],
  [
    "four images to edit",
    ask("qwen-image-edit-plus", [image, image, image, image, text]),
    "The number of images should be between 1 and 3.",
  ],
  [
    "an invalid image",
    ask("qwen-image-edit", [{ image: "fox.png" }, text]),
    "The image must be a URL or a base64-encoded image.",
  ],
  [
    "a file of the store, without the header for it",
    ask("qwen-image-edit", [{ image: "oss://bucket/fox.png" }, text]),
    "The image must be a URL or a base64-encoded image.",
  ],
  [
    "a small image",
    ask("qwen-image-edit", [{ image: pngUrl(383, 400) }, text]),
    "Invalid image: the image is 383x400, expected sides of at least 384 pixels.",
  ],
  [
    "a large image",
    ask("qwen-image-edit", [{ image: pngUrl(400, 3_073) }, text]),
    "Invalid image: the image is 400x3073, expected sides of at most 3072 pixels.",
  ],
  ["two drawings", ask("qwen-image", [text], { n: 2 }), "Range of n should be [1, 1]"],
  [
    "two of the plain editor",
    ask("qwen-image-edit", [image, text], { n: 2 }),
    "Range of n should be [1, 1]",
  ],
  [
    "seven of the better one",
    ask("qwen-image-edit-plus", [image, text], { n: 7 }),
    "Range of n should be [1, 6]",
  ],
  [
    "a size that is not on the list",
    ask("qwen-image", [text], { size: "1024*1024" }),
    "The size is not match the allowed size 1328*1328, 1664*928,",
  ],
  [
    "a size with an x",
    ask("qwen-image", [text], { size: "1328x1328" }),
    "The size is not match the allowed size",
  ],
  [
    "a size of the plain editor",
    ask("qwen-image-edit", [image, text], { size: "1024*1024" }),
    "The size parameter is not supported by qwen-image-edit.",
  ],
  [
    "a small size",
    ask("qwen-image-edit-max", [image, text], { size: "511*1024" }),
    "Width and height of size should be between 512 and 2048",
  ],
  [
    "a long negative prompt",
    ask("qwen-image", [text], { negative_prompt: long(501) }),
    "negative_prompt must have at most 500 characters.",
  ],
  [
    "a seed out of range",
    ask("qwen-image", [text], { seed: 2 ** 31 }),
    "Range of seed should be [0, 2147483647]",
  ],
  [
    "a mark that is a text",
    ask("qwen-image", [text], { watermark: "yes" }),
    "watermark must be a boolean.",
  ],
  [
    "a prompt with blocked content",
    ask("qwen-image", [{ text: "please refuse" }]),
    "400 DataInspectionFailed Input or output data may contain inappropriate content.",
  ],
])("%s: refused like at the vendor", async (_, body, expected) => {
  const { status, answer: given } = await call(sandbox, PATH, body);

  expect(Object.keys(asObject(given))).toEqual(["code", "message", "request_id"]);
  const shown = `${status} ${textAt(given, "code")} ${textAt(given, "message")}`;
  expect(shown).toStartWith(
    /^\d{3} /.test(expected) ? expected : `400 InvalidParameter ${expected}`,
  );
});

test("a file in the vendor's storage is accepted with its header", async () => {
  const body = ask("qwen-image-edit", [{ image: "oss://bucket/fox.png" }, text]);
  const headers = { "x-dashscope-ossresourceresolve": "enable" };

  expect((await call(sandbox, PATH, body, headers)).status).toBe(200);
});

function draw(prompt: string, parameters: JsonObject = {}): JsonObject {
  return { model: "qwen-image", input: { prompt }, parameters };
}

async function stateOf(at: Sandbox, id: string, key = "sk-test"): Promise<JsonObject> {
  const response = await fetch(`${at.url}/dashscope/api/v1/tasks/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  return asObject(parseJson(await response.text()));
}

test("a task waits, runs and succeeds, and then has the same image each time", async () => {
  let now = Date.parse("2026-05-01T10:00:00Z");
  await using timed = await startSandbox({ now: () => now });
  const submitted = await call(timed, TASK_PATH, draw("A paper fox", { size: "928*1664" }), ASYNC);
  const id = textAt(submitted.answer, "output", "task_id");
  const waiting = await stateOf(timed, id);
  now += 300;
  const running = await stateOf(timed, id);
  now += 1_000;
  const done = await stateOf(timed, id);
  const again = await stateOf(timed, id);

  expect(submitted.answer).toEqual({
    output: { task_id: id, task_status: "PENDING" },
    request_id: expect.any(String),
  });
  expect([waiting, running].map((state) => at(state, "output", "task_status"))).toEqual([
    "PENDING",
    "RUNNING",
  ]);
  expect(done).toEqual({
    output: {
      task_id: id,
      task_status: "SUCCEEDED",
      submit_time: "2026-05-01 18:00:00.000",
      scheduled_time: "2026-05-01 18:00:00.300",
      end_time: "2026-05-01 18:00:01.300",
      results: [
        {
          orig_prompt: "A paper fox",
          actual_prompt: expect.stringContaining("A paper fox "),
          url: expect.any(String),
        },
      ],
      task_metrics: { TOTAL: 1, SUCCEEDED: 1, FAILED: 0 },
    },
    usage: { image_count: 1 },
    request_id: expect.any(String),
  });
  expect(again["output"]).toEqual(done["output"] ?? null);
  const url = textAt(done, "output", "results", 0, "url");
  expect(await lookAt(await download(url))).toBe("png 928x1664");
});

test("a task with a blocked prompt is accepted, and fails", async () => {
  let now = 0;
  await using timed = await startSandbox({ now: () => now });
  const { answer: given } = await call(timed, TASK_PATH, draw("please refuse"), ASYNC);
  now += 1_300;
  const state = await stateOf(timed, textAt(given, "output", "task_id"));

  expect(state).toMatchObject({
    output: {
      task_status: "FAILED",
      code: "DataInspectionFailed",
      task_metrics: { TOTAL: 1, SUCCEEDED: 0, FAILED: 1 },
    },
  });
  expect("usage" in state).toBe(false);
});

test("a task is unknown to other keys, after a day, and if it never existed", async () => {
  let now = 0;
  await using timed = await startSandbox({ now: () => now });
  const { answer: given } = await call(timed, TASK_PATH, draw("A fox"), ASYNC);
  const id = textAt(given, "output", "task_id");
  const status = async (task: string, key?: string) =>
    at(await stateOf(timed, task, key), "output", "task_status");

  expect(await status(id)).toBe("PENDING");
  expect(await status(id, "sk-other")).toBe("UNKNOWN");
  expect(await status("8f2ad9a2-0000-4000-8000-000000000000")).toBe("UNKNOWN");
  now += 24 * 3_600_000;
  expect(await status(id)).toBe("UNKNOWN");
});

test("only the last two thousand tasks are kept", async () => {
  await using busy = await startSandbox();
  const submit = async () =>
    textAt((await call(busy, TASK_PATH, draw("A fox"), ASYNC)).answer, "output", "task_id");
  const first = await submit();
  for (let round = 0; round < 40; round++) await Promise.all(Array.from({ length: 50 }, submit));
  const last = await submit();

  expect(at(await stateOf(busy, first), "output", "task_status")).toBe("UNKNOWN");
  expect(at(await stateOf(busy, last), "output", "task_status")).not.toBe("UNKNOWN");
});

test("each address has one call mode, and its own models", async () => {
  const refusal = async (path: string, body: JsonObject, headers = {}) => {
    const { status, answer: given } = await call(sandbox, path, body, headers);
    return `${status} ${textAt(given, "code")} ${textAt(given, "message")}`;
  };

  expect(await refusal(PATH, ask("qwen-image", [text]), ASYNC)).toBe(
    "403 AccessDenied current user api does not support asynchronous calls",
  );
  expect(await refusal(TASK_PATH, draw("A fox"))).toBe(
    "403 AccessDenied current user api does not support synchronous calls",
  );
  expect(await refusal(TASK_PATH, { ...draw("A fox"), model: "qwen-image-edit" }, ASYNC)).toBe(
    "400 InvalidParameter url error, please check url！",
  );
  expect(await refusal(TASK_PATH, draw(""), ASYNC)).toStartWith("400 InvalidParameter The prompt");
  expect(await refusal("/dashscope/api/v1/services/other", {})).toStartWith("404 ");
});

test("keys and faults are refused in the format of this protocol, not of the other", async () => {
  await using guarded = await startSandbox({ apiKeys: ["sk-right"] });
  const body = (words: string) => ask("qwen-image", [{ text: words }]);
  const wrong = await call(guarded, PATH, body("hi"));
  const missing = await call(guarded, PATH, body("hi"), { authorization: "" });
  const limited = await call(sandbox, PATH, body("[[fault:status code=429]] hi"));
  const named = await call(sandbox, PATH, body("[[fault:status code=403 error=Arrearage]] hi"));
  const silent = await call(sandbox, PATH, body("[[fault:nousage]] hi"));

  const shown = ({ status, answer: given }: { status: number; answer: Json | undefined }) =>
    `${status} ${textAt(given, "code")} ${Object.keys(asObject(given)).join()}`;
  const members = "code,message,request_id";
  expect(shown(wrong)).toBe(`401 InvalidApiKey ${members}`);
  expect(shown(missing)).toBe(`401 InvalidApiKey ${members}`);
  expect(shown(limited)).toBe(`429 Throttling.RateQuota ${members}`);
  expect(shown(named)).toBe(`403 Arrearage ${members}`);
  expect(shown(silent)).toBe("200  output,request_id");
});
