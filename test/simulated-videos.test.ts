import { describe, expect, test } from "bun:test";
import type { VideoMedia, VideoRequest } from "#core/video.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { findProvider } from "#providers/index.ts";
import { parseJson } from "@sluice/sandbox/json.ts";
import { SANDBOX_PAIR } from "@sluice/sandbox/key-pairs.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { clockedSandbox, type ClockedSandbox } from "@sluice/sandbox/testing/tasks.ts";
import { BASE, CLIP, held, OUR_ID, question, requestOf, rowFor, task } from "./video-request.ts";

/** What the vendors' halves write is held to simulators that share no line with them. */
const SECRETS = { kling: SANDBOX_PAIR, vidu: "vda_1" } as const;
type Vendor = keyof typeof SECRETS;

function shown(role: VideoMedia["role"]): VideoMedia {
  return held(role, pngUrl(640, 360).replace(/^data:.*?,/, ""));
}

const FRAME = shown("first_frame");
const END = shown("last_frame");
const LOOK = shown("reference");

/** Calls a vendor as a channel with such a credential would. */
function callerOf(simulator: ClockedSandbox, vendor: Vendor, secret: string = SECRETS[vendor]) {
  return async (method: "GET" | "POST", path: string, body?: Json) => {
    const url = new URL(`${simulator.sandbox.url}/${vendor}${path}`);
    const text = body === undefined ? "" : JSON.stringify(body);
    const signable = { method, url, headers: {}, body: text, options: {}, at: NOW };
    const headers = await findProvider(vendor)?.authorize(secret, signable);
    const authorization = headers?.["authorization"] ?? "";
    const sent = body === undefined ? undefined : parseJson(text);
    const answer = await simulator.call(method, `/${vendor}${path}`, sent, { authorization });
    return { status: answer.status, body: isObject(answer.body) ? answer.body : {} };
  };
}

/** The simulator's clock. */
const NOW = Date.UTC(2026, 0, 1, 12);
const MAX_LOOKS = 60;

describe.each([
  ["kling", "kling-v1", {}],
  ["kling", "kling-v1-6", { seconds: 10, guidance: 0.5, negativePrompt: "fog", ratio: "1:1" }],
  ["kling", "kling-v1", { camera: { type: "simple", config: { zoom: 3 } } }],
  ["kling", "kling-v1", { scenario: "first_last", media: [FRAME, END] }],
  ["kling", "kling-v2-6", { audio: true, mode: "pro" }],
  ["kling", "kling-v3", { seconds: 7, audio: true }],
  ["kling", "kling-v3-omni", { scenario: "omni", media: [FRAME, LOOK] }],
  ["kling", "kling-video-o1", { scenario: "omni", media: [LOOK, CLIP] }],
  ["vidu", "viduq3", { seconds: 16, audio: false, ratio: "4:3" }],
  ["vidu", "viduq2", { music: true }],
  ["vidu", "viduq1", { seconds: 5, resolution: "1080p", movement: "large" }],
  ["vidu", "vidu2.0", { scenario: "first_frame", media: [FRAME], seconds: 4 }],
  ["vidu", "viduq2-pro", { scenario: "first_last", media: [FRAME, END] }],
  ["vidu", "viduq2", { scenario: "reference", media: [LOOK, LOOK], ratio: "3:4" }],
] as const)("a video of %s by %s", (vendor, model, said) => {
  test(`is created, and found by our id if the vendor supports it: ${Object.keys(said).join()}`, () =>
    isMade(vendor, model, said));
});

describe.each([
  ["kling-3.0", { seconds: 6, audio: true, ratio: "9:16", resolution: "4k", watermark: true }],
  ["kling-3.0-turbo", {}],
  ["kling-2.6", { audio: true, resolution: "1080p" }],
  ["kling-2.5-turbo", { seconds: 10 }],
  ["kling-3.0", { scenario: "first_last", media: [FRAME, END] }],
  ["kling-3.0-omni", {}],
  ["kling-3.0-omni", { scenario: "omni", media: [{ ...LOOK, tag: "hat" }, CLIP], prompt: "@hat" }],
  ["kling-o1", { scenario: "omni", media: [LOOK], audio: false }],
  ["kling-o1", { scenario: "omni", media: [BASE] }],
] as const)("a video in the newer style by %s", (model, said) => {
  test(`is created, and found by our id: ${Object.keys(said).join()}`, () =>
    isMade("kling", model, said, "a-key-and-no-token"));
});

async function isMade(
  vendor: Vendor,
  model: string,
  said: Partial<VideoRequest>,
  secret?: string,
): Promise<void> {
  await using simulator = await clockedSandbox();
  const call = callerOf(simulator, vendor, secret);
  const asked = question(model, said);
  const { style, poll: look, find } = rowFor(vendor, asked);
  const { outbound } = style;
  const { path, body } = requestOf(vendor, model, said);
  const submitted = await call("POST", path, body);
  expect(submitted).toMatchObject({ status: 200 });
  const upstreamId = outbound.parseSubmitted(submitted.body);
  const ours = task(model, { upstreamId, scenario: asked.scenario });

  const states = new Set<string>();
  for (let looks = 0; looks < MAX_LOOKS && !states.has("succeeded"); looks++) {
    const answer = await call("GET", look.path(ours));
    const update = outbound.parseTask(answer.body, ours, answer.status);
    states.add(update.state);
    if (update.state === "succeeded") expect(update.videos).toHaveLength(1);
    simulator.wait(500);
  }
  expect([...states]).toEqual(["queued", "running", "succeeded"]);
  if (find === undefined) return;
  const found = await call("GET", find.path(ours));
  expect(outbound.parseFound?.(found.body, OUR_ID)).toBe(upstreamId);
}

test("a Vidu task that waits for off-peak hours can be cancelled", async () => {
  await using simulator = await clockedSandbox();
  const call = callerOf(simulator, "vidu");
  const said = { extra: { "video-vidu": { off_peak: true } } };
  const { path, body } = requestOf("vidu", "viduq2", said);
  const { style, poll: look, cancel } = rowFor("vidu", question("viduq2", said));
  const { outbound } = style;
  const submitted: JsonObject = (await call("POST", path, body)).body;
  const ours = task("viduq2", { upstreamId: outbound.parseSubmitted(submitted) });

  expect(await call("POST", cancel?.path(ours) ?? "", cancel?.body?.(ours))).toEqual({
    status: 200,
    body: {},
  });
  const { body: answer, status } = await call("GET", look.path(ours));
  expect(outbound.parseTask(answer, ours, status)).toMatchObject({
    state: "failed",
    failure: { code: "task_cancelled" },
  });
});

test("an unknown Kling task is not found, in either style", async () => {
  await using simulator = await clockedSandbox();
  const older = rowFor("kling", question("kling-v1"));
  const newer = rowFor("kling", question("kling-3.0"));
  const ours = task("kling-3.0");

  expect(await callerOf(simulator, "kling")("GET", older.poll.path(ours))).toMatchObject({
    status: 404,
  });
  const { body, status } = await callerOf(
    simulator,
    "kling",
    "a-key",
  )("GET", newer.poll.path(ours));
  expect(newer.style.outbound.parseTask(body, ours, status)).toEqual({ state: "missing" });
  const found = await callerOf(simulator, "kling", "a-key")("GET", newer.find?.path(ours) ?? "");
  expect(newer.style.outbound.parseFound?.(found.body, OUR_ID)).toBeUndefined();
});
