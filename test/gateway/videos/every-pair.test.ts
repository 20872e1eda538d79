import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SANDBOX_PAIR } from "@sluice/sandbox/key-pairs.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { mp4Boxes, probe } from "@sluice/sandbox/testing/media-files.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

/** A vendor with a model that makes videos of words, and what a channel of it needs. */
interface Vendor {
  readonly provider: string;
  readonly base: string;
  readonly model: string;
  readonly secret?: string;
}

const VENDORS: readonly Vendor[] = [
  { provider: "ark", base: "/ark/api/v3", model: "doubao-seedance-1-0-pro-250528" },
  { provider: "openai", base: "/openai/v1", model: "sora-2" },
  { provider: "gemini", base: "/gemini/v1beta", model: "veo-3.1-generate-preview" },
  { provider: "dashscope", base: "/dashscope/compatible-mode/v1", model: "wan2.5-t2v-preview" },
  { provider: "kling", base: "/kling", model: "kling-v2-6" },
  { provider: "kling", base: "/kling", model: "kling-3.0-turbo" },
  { provider: "vidu", base: "/vidu", model: "viduq2" },
  { provider: "minimax", base: "/minimax", model: "MiniMax-H3" },
  { provider: "jimeng", base: "/jimeng", model: "jimeng_t2v_v30", secret: SANDBOX_PAIR },
];

/** How a protocol asks for a video of words, how it asks after one, and what it says of one that is done. */
interface Entry {
  readonly name: string;
  readonly asks: (model: string, prompt: string) => readonly [path: string, body: JsonObject];
  readonly idIn: (answer: JsonObject) => Json | undefined;
  readonly looks: (id: string, model: string) => readonly [path: string, body?: JsonObject];
  readonly statusIn: (answer: JsonObject) => Json | undefined;
  readonly done: string;
}

const TASKS = "/videoa/api/v3/contents/generations/tasks";
const B = "/videob?Version=2022-08-31&Action=CVSync2Async";
const first = (list: Json | undefined): Json | undefined =>
  Array.isArray(list) ? list[0] : undefined;

const ENTRIES: readonly Entry[] = [
  {
    name: "unified",
    asks: (model, prompt) => [
      "/v1/video/generations",
      { model, metadata: { content: [{ type: "text", text: prompt }] } },
    ],
    idIn: (answer) => answer["task_id"],
    looks: (id) => [`/v1/video/generations/${id}`],
    statusIn: (answer) => answer["status"],
    done: "succeeded",
  },
  {
    name: "openai",
    asks: (model, prompt) => ["/v1/videos", { model, prompt }],
    idIn: (answer) => answer["id"],
    looks: (id) => [`/v1/videos/${id}`],
    statusIn: (answer) => answer["status"],
    done: "completed",
  },
  {
    name: "A",
    asks: (model, text) => [TASKS, { model, content: [{ type: "text", text }] }],
    idIn: (answer) => answer["id"],
    looks: (id) => [`${TASKS}/${id}`],
    statusIn: (answer) => answer["status"],
    done: "succeeded",
  },
  {
    name: "B",
    asks: (model, prompt) => [`${B}SubmitTask`, { req_key: model, prompt }],
    idIn: (answer) => memberOf(answer["data"], "task_id"),
    looks: (id, model) => [`${B}GetResult`, { req_key: model, task_id: id }],
    statusIn: (answer) => memberOf(answer["data"], "status"),
    done: "SUCCESS",
  },
  {
    name: "C",
    asks: (model, prompt) => ["/videoc/ent/v2/text2video", { model, prompt }],
    idIn: (answer) => answer["task_id"],
    looks: (id) => [`/videoc/ent/v2/tasks/${id}/creations`],
    statusIn: (answer) => answer["state"],
    done: "success",
  },
  {
    name: "D",
    asks: (model, text) => [
      "/videod/v2/video_generation",
      { model, content: [{ type: "text", text }], resolution: "768P", duration: 5 },
    ],
    idIn: (answer) => answer["task_id"],
    looks: (id) => [`/videod/v2/query/video_generation/${id}`],
    statusIn: (answer) => memberOf(answer["task"], "status"),
    done: "succeeded",
  },
  {
    name: "E-V1",
    asks: (model, prompt) => ["/videoe/v1/videos/text2video", { model_name: model, prompt }],
    idIn: (answer) => answer["task_id"],
    looks: (id) => [`/videoe/v1/videos/text2video/${id}`],
    statusIn: (answer) => memberOf(answer["data"], "task_status"),
    done: "succeed",
  },
  {
    name: "E-3.0",
    asks: (model, prompt) => [`/videoe/text-to-video/${model}`, { prompt }],
    idIn: (answer) => memberOf(answer["data"], "id"),
    looks: (id) => [`/videoe/tasks?task_ids=${id}`],
    statusIn: (answer) => memberOf(first(answer["data"]), "status"),
    done: "succeeded",
  },
  {
    name: "native",
    asks: (model, prompt) => [
      `/v1beta/models/${model}:predictLongRunning`,
      { instances: [{ prompt }] },
    ],
    idIn: (answer) => textOf(answer["name"])?.split("/").at(-1),
    looks: (id, model) => [`/v1beta/models/${model}/operations/${id}`],
    statusIn: (answer) => JSON.stringify(answer["done"] ?? null),
    done: "true",
  },
];

/** What a protocol always says, and another vendor's model does not make. */
const REFUSED: ReadonlySet<string> = new Set(
  VENDORS.filter(({ provider }) => provider !== "minimax").map(({ model }) => `D ${model}`),
);

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  const channels = VENDORS.map(
    ({ provider, base, model, secret = "sk-of-the-operator" }) =>
      `  - { name: "${model}", provider: ${provider}, base_url: "${sandbox.url}${base}", api_key: "${secret}", models: ["${model}"] }`,
  );
  gateway = await openTestGateway({ yaml: `channels:\n${channels.join("\n")}` });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function told(response: Promise<Response>): Promise<readonly [number, JsonObject]> {
  const answer = await response;
  return [answer.status, (await answer.json()) as JsonObject];
}

async function lookAt({ looks, statusIn }: Entry, id: string, model: string): Promise<Json> {
  const [path, body] = looks(id, model);
  const [, answer] = await told(body === undefined ? gateway.get(path) : gateway.post(path, body));
  return statusIn(answer) ?? null;
}

describe.each(VENDORS.map((vendor) => [vendor.model, vendor] as const))("%s", (model) => {
  test.each(ENTRIES.map((entry) => [entry.name, entry] as const))(
    "[B3.1] is created through %s, read through every endpoint in its format, and downloaded",
    async (name, entry) => {
      const [path, body] = entry.asks(model, "a fox in the snow");
      const [status, submitted] = await told(gateway.post(path, body));
      const id = textOf(entry.idIn(submitted)) ?? "";
      if (REFUSED.has(`${name} ${model}`)) {
        expect([status, JSON.stringify(submitted)]).toEqual([
          400,
          expect.stringMatching(/resolution|768|length|seconds|duration/i),
        ]);
        return;
      }
      expect([status, submitted, id]).toEqual([200, submitted, expect.stringMatching(/^task_/)]);

      await waitFor(async () => (await lookAt(entry, id, model)) === entry.done, 20_000);
      for (const other of ENTRIES) {
        expect([other.name, await lookAt(other, id, model)]).toEqual([other.name, other.done]);
      }
      const file = await gateway.get(`/v1/videos/${id}/content`);
      const bytes = new Uint8Array(await file.arrayBuffer());
      expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
      expect(mp4Boxes(bytes).map(({ path: box }) => box)).toContain("moov/trak/mdia/minf/stbl");
      if (Bun.which("ffprobe") !== null) {
        expect(await probe(bytes, "codec_name,width,height")).toMatch(/^h264\|\d+\|\d+/);
      }
    },
    40_000,
  );
});
