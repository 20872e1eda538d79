import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const CHANNELS = [
  ["ark", "/ark/api/v3", "doubao-seedance-2-0-260128"],
  ["openai", "/openai/v1", "sora-2"],
  ["gemini", "/gemini/v1beta", "veo-3.1-generate-preview"],
  ["dashscope", "/dashscope/compatible-mode/v1", "wan2.5-t2v-preview"],
  ["kling", "/kling", "kling-3.0-omni"],
  ["vidu", "/vidu", "viduq2"],
  ["minimax", "/minimax", "MiniMax-H3"],
] as const;

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  const channels = CHANNELS.map(
    ([provider, base, model]) =>
      `  - { name: ${provider}, provider: ${provider}, base_url: "${sandbox.url}${base}", api_key: sk-of-the-operator, models: ["${model}"] }`,
  );
  gateway = await openTestGateway({ yaml: `channels:\n${channels.join("\n")}` });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function ask(path: string, body: JsonObject | string): Promise<readonly [number, string]> {
  const answer = await gateway.post(path, body);
  return [answer.status, await answer.text()];
}

const UNIFIED = "/v1/video/generations";
const TASKS = "/videoa/api/v3/contents/generations/tasks";
const D = "/videod/v2/video_generation";
const fox = { prompt: "a fox" };
const text = [{ type: "text", text: "a fox" }];
const sora = { model: "sora-2", ...fox };
const veo = { model: "veo-3.1-generate-preview", ...fox };
const wan = { model: "wan2.5-t2v-preview", ...fox };
const seedance = { model: "doubao-seedance-2-0-260128", content: text };
const hailuo = { model: "MiniMax-H3", content: text, resolution: "768P", duration: 5 };

/** The field, a body for each of its values, those that are taken, and those that are not. */
type Row = readonly [
  what: string,
  path: string,
  field: string,
  bodyWith: (value: string | number) => JsonObject,
  taken: readonly (string | number)[],
  refused: readonly (string | number)[],
];

const ROWS: readonly Row[] = [
  [
    "family 1's seconds",
    UNIFIED,
    "seconds",
    (seconds) => ({ ...sora, seconds }),
    [4, "8", 12],
    [5, 16],
  ],
  [
    "family 1's seconds, as objects",
    "/v1/videos",
    "seconds",
    (seconds) => ({ ...sora, seconds }),
    ["4", "8", "12"],
    ["6"],
  ],
  [
    "family 2's duration",
    UNIFIED,
    "duration",
    (duration) => ({ ...veo, duration }),
    [4, 6, 8],
    [5, 10],
  ],
  [
    "family 3's duration",
    UNIFIED,
    "duration",
    (duration) => ({ ...wan, duration }),
    [5, 10],
    [4, 7],
  ],
  [
    "protocol A's duration of 2.0",
    TASKS,
    "duration",
    (duration) => ({ ...seedance, duration }),
    [4, 15],
    [3, 16],
  ],
  [
    "protocol D's duration",
    D,
    "duration",
    (duration) => ({ ...hailuo, duration }),
    [4, 15],
    [3, 16],
  ],
  [
    "protocol D's resolution",
    D,
    "resolution",
    (resolution) => ({ ...hailuo, resolution }),
    ["768P", "2K"],
    ["720P", "4K"],
  ],
];

describe("[B8] a bound of the specification", () => {
  const each = ROWS.flatMap(([what, path, field, bodyWith, taken, refused]) => [
    ...taken.map((value) => [what, value, "taken", path, field, bodyWith] as const),
    ...refused.map((value) => [what, value, "refused", path, field, bodyWith] as const),
  ]);
  test.each(each)("%s of %p is %s", async (_, value, verdict, path, field, bodyWith) => {
    const [status, answer] = await ask(path, bodyWith(value));

    expect([status, answer]).toEqual([verdict === "taken" ? 200 : 400, answer]);
    if (verdict === "refused")
      expect(answer).toMatch(new RegExp(`'${field}'|${field} must be between`));
  });

  test("protocol C makes five seconds by default", async () => {
    const [, answer] = await ask("/videoc/ent/v2/text2video", { model: "viduq2", ...fox });
    const asked = sandbox.requests.findLast(({ path }) => path.endsWith("/text2video"));

    expect(answer).toContain('"task_id":"task_');
    expect(memberOf(asked?.body, "duration") ?? 5).toBe(5);
  });

  const image = (at: number) => ({
    type: "refer_image",
    url: `https://pictures.example/${at}.png`,
  });
  const images = (count: number) => Array.from({ length: count }, (_, at) => image(at));
  const video = { type: "feature_video", url: "https://videos.example/v.mp4" };
  test.each([
    ["seven other inputs", images(7), 200],
    ["eight other inputs", images(8), 400],
    ["a video and four", [video, ...images(4)], 200],
    ["a video and five", [video, ...images(5)], 400],
    ["two videos", [video, video], 400],
  ])("[B4.6-c] protocol E accepts or refuses %s", async (_, inputs, expected) => {
    const contents = [{ type: "prompt", text: "a fox" }, ...inputs];
    const settings = { audio: "off", multi_shot: true, aspect_ratio: "16:9" };
    const [status, answer] = await ask("/videoe/omni-video/kling-3.0-omni", { contents, settings });

    expect([status, answer]).toEqual([expected, answer]);
  });

  test("protocol E returns one task per request", async () => {
    const [, answer] = await ask("/videoe/omni-video/kling-3.0-omni", {
      contents: [{ type: "prompt", text: "a fox" }],
      settings: { aspect_ratio: "16:9" },
    });
    const id = textOf(memberOf(memberOf(JSON.parse(answer) as JsonObject, "data"), "id")) ?? "";
    const statusAt = async (query: string) => (await gateway.get(`/videoe/tasks${query}`)).status;

    expect(await statusAt(`?task_ids=${id}`)).toBe(200);
    expect(await statusAt(`?task_ids=${id},${id}`)).toBe(400);
    expect(await statusAt(`?task_ids=${id}&external_task_ids=x`)).toBe(400);
    expect(await statusAt("")).toBe(400);
  });

  test("a webhook of protocol E may have 1 MiB", async () => {
    const path = `${gateway.url}/callbacks/kling/task_nobody`;
    const send = async (size: number) =>
      (await fetch(path, { method: "POST", body: "x".repeat(size) })).status;

    expect([await send(1024 * 1024), await send(1024 * 1024 + 1)]).toEqual([200, 413]);
  });

  test("a file may be cached for a day", async () => {
    const [, answer] = await ask("/v1/videos", sora);
    const id = textOf((JSON.parse(answer) as JsonObject)["id"]) ?? "";
    await waitFor(async () => {
      const video = (await (await gateway.get(`/v1/videos/${id}`)).json()) as JsonObject;
      return video["status"] === "completed";
    }, 20_000);
    const file = await gateway.get(`/v1/videos/${id}/content`);
    await file.arrayBuffer();

    expect(file.headers.get("cache-control")).toBe("public, max-age=86400");
  });
});

describe("[B9] versions and prefixes", () => {
  test.each([
    ["/videoa/api/v3/contents/generations/tasks", { ...seedance }],
    ["/videob?Action=CVSync2AsyncSubmitTask&Version=2022-08-31", { req_key: "viduq2", ...fox }],
    ["/videob?Action=CVSync2AsyncSubmitTask", { req_key: "viduq2", ...fox }],
    ["/videoc/ent/v2/text2video", { model: "viduq2", ...fox }],
    ["/videod/v2/video_generation", hailuo],
    ["/videoe/v1/videos/text2video", { model_name: "viduq2", ...fox }],
    ["/videoe/text-to-video/viduq2", fox],
    ["/v1/video/generations", sora],
    ["/v1/videos", sora],
  ])("%s creates a video", async (path, body) => {
    const [status, answer] = await ask(path, body);

    expect([status, answer]).toEqual([200, expect.stringContaining("task_")]);
  });

  test.each([
    [
      "/videob?Action=CVSync2AsyncSubmitTask&Version=2020-01-01",
      { req_key: "viduq2", ...fox },
      400,
    ],
    ["/videoc/ent/v1/text2video", { model: "viduq2", ...fox }, 404],
    ["/videod/v1/video_generation", hailuo, 404],
    ["/videoa/api/v2/contents/generations/tasks", seedance, 404],
  ])("%s is another version", async (path, body, expected) => {
    const [status, answer] = await ask(path, body);

    expect(status).toBe(expected);
    expect(() => JSON.parse(answer) as JsonObject).not.toThrow();
  });
});
