import { afterAll, beforeAll, expect, test } from "bun:test";
import type { VideoRequest } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { parseJson, type Json } from "@sluice/sandbox/json.ts";
import { clockedSandbox, type ClockedSandbox } from "@sluice/sandbox/testing/tasks.ts";
import {
  CALLBACK,
  CLIP,
  FIRST,
  LAST,
  LOOK,
  question,
  requestOf,
  rowFor,
  SOUND,
  task,
} from "#test/video-request.ts";

const FIRST_PRO = "doubao-seedance-1-0-pro-250528";
const LITE = "doubao-seedance-1-0-lite-i2v-250428";
const SPEAKING = "doubao-seedance-1-5-pro-251215";
const SECOND = "doubao-seedance-2-0-260128";
const FAST = "doubao-seedance-2-0-fast-260128";
const NEWEST = "doubao-seedance-2-5-260701";

let simulator: ClockedSandbox;
beforeAll(async () => {
  simulator = await clockedSandbox();
});
afterAll(async () => {
  await simulator[Symbol.asyncDispose]();
});

type Said = Partial<VideoRequest>;

async function ask(model: string, said: Said = {}) {
  const { path, body } = requestOf("ark", model, said);
  const wire = parseJson(JSON.stringify(body));
  const { status, body: answer } = await simulator.call("POST", `/ark/api/v3${path}`, wire);
  return { status, answer: objectIn(answer) };
}

function objectIn(answer: Json | undefined): JsonObject {
  return objectOf(answer) ?? {};
}

/** What is said of a task, at each of these moments. */
async function watch(model: string, said: Said, ...waits: readonly number[]) {
  const { style, poll } = rowFor("ark", question(model));
  const upstreamId = style.outbound.parseSubmitted((await ask(model, said)).answer);
  const ref = task(model, { upstreamId });
  const update = [];
  for (const wait of waits) {
    simulator.wait(wait);
    const { status, body } = await simulator.call(poll.method, `/ark/api/v3${poll.path(ref)}`);
    update.push(style.outbound.parseTask(objectIn(body), ref, status));
  }
  return update;
}

test.each<[string, Said]>([
  [FIRST_PRO, { seconds: 2, resolution: "480p", ratio: "21:9", cameraFixed: true, seed: -1 }],
  [FIRST_PRO, { frames: 57, resolution: "1080p", watermark: true, lastFrame: true }],
  [FIRST_PRO, { media: [FIRST, LAST], seconds: 12 }],
  [LITE, { media: [LOOK, LOOK, LOOK, LOOK], seconds: 5 }],
  [
    SPEAKING,
    { entry: "video-ark", audio: false, seconds: -1, extra: { "video-ark": { draft: true } } },
  ],
  [SECOND, { resolution: "4k", ratio: "adaptive", seconds: 15, audio: true, user: "u" }],
  [SECOND, { media: [LOOK, CLIP, SOUND], extra: { "video-ark": { priority: 9 } } }],
  [SECOND, { media: [FIRST], extra: { "video-ark": { tools: [{ type: "web_search" }] } } }],
  [SECOND, { size: "960x960", extra: { "video-ark": { execution_expires_after: 3_600 } } }],
  [FAST, { resolution: "720p", ratio: "1:1", seconds: 4 }],
  [NEWEST, { media: [SOUND], seconds: 30, extra: { "video-ark": { output_format: "mov" } } }],
])("the simulated vendor accepts the gateway's requests: %s, %p", async (model, said) => {
  expect(await ask(model, said)).toEqual({
    status: 200,
    answer: expect.objectContaining({ id: expect.stringMatching(/^cgt-/) }),
  });
});

test("[B3.1] a simulated task is seen as queued, running and finished", async () => {
  const said = { seconds: 5, resolution: "720p", ratio: "16:9", audio: true, lastFrame: true };
  const [waiting, running, made] = await watch(SECOND, said, 0, 400, 1_000);

  expect([waiting?.state, running?.state]).toEqual(["queued", "running"]);
  expect(made).toMatchObject({
    state: "succeeded",
    videos: [{ url: expect.stringMatching(/^http/), lastFrameUrl: expect.stringMatching(/^http/) }],
    facts: { seconds: 5, resolution: "720p", ratio: "16:9", audio: true },
    usage: { durationMs: 5_000, grade: "720p audio" },
    linksEndAt: expect.any(Number),
  });
});

test.each<[string, string]>([
  ["[moderate]", "content_filtered"],
  ["[fail]", "InternalServiceError"],
])("a simulated task with %s has failed by %s", async (words, code) => {
  const [update] = await watch(SECOND, { prompt: `a lake ${words}` }, 1_500);

  expect(update).toMatchObject({ state: "failed", failure: { code } });
});

test("a simulated refusal is translated", async () => {
  const { path, body } = requestOf("ark", FAST, {}, CALLBACK);
  const { style } = rowFor("ark", question(FAST));
  const wire = parseJson(JSON.stringify({ ...body, resolution: "1080p" }));
  const refused = await simulator.call("POST", `/ark/api/v3${path}`, wire);

  const error = style.outbound.parseError(refused.status, JSON.stringify(refused.body));
  expect(error).toMatchObject({ code: "upstream_rejected", param: "resolution" });
  const gone = await simulator.call("GET", `/ark/api/v3${path}/cgt-20260101120000-abcde`);
  expect(gone.status).toBe(404);
});
