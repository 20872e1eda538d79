import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { waitFor } from "#test/wait.ts";

const MODEL = "doubao-seedance-2-0-260128";
const TASKS = "/videoa/api/v3/contents/generations/tasks";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: `
channels:
  - { name: sim, provider: ark, base_url: "${sandbox.url}/ark/api/v3", api_key: sk-upstream-secret, models: [${MODEL}] }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function post(path: string, body: JsonObject): Promise<JsonObject> {
  return (await (await gateway.post(path, body)).json()) as JsonObject;
}

async function whenOver(path: string): Promise<JsonObject> {
  let answer: JsonObject = {};
  await waitFor(async () => {
    answer = (await (await gateway.get(path)).json()) as JsonObject;
    return ["succeeded", "failed", "completed"].includes(textOf(answer["status"]) ?? "");
  }, 20_000);
  return answer;
}

const content = (text: string) => [{ type: "text", text }];

describe("over the simulated vendor of tasks", () => {
  test("[B4.2-a] a task's video can be downloaded from its link", async () => {
    const { id } = await post(TASKS, {
      model: MODEL,
      content: content("a fox"),
      duration: 4,
      seed: 42,
      generate_audio: false,
      return_last_frame: true,
    });
    const done = await whenOver(`${TASKS}/${textOf(id)}`);
    const links = ["video_url", "last_frame_url"].map((name) =>
      textOf(memberOf(done["content"], name)),
    );
    const [video, frame] = await Promise.all(links.map((link) => fetch(link ?? "")));

    expect(done).toMatchObject({
      id,
      status: "succeeded",
      duration: 4,
      seed: 42,
      generate_audio: false,
    });
    expect(memberOf(done["usage"], "completion_tokens")).toBeGreaterThan(0);
    expect(video?.headers.get("content-type")).toBe("video/mp4");
    expect(frame?.headers.get("content-type")).toStartWith("image/");
  });

  test("[B4.1-f4] options in the prompt have the same meaning for the vendor and the gateway", async () => {
    const { task_id: id } = await post("/v1/video/generations", {
      model: MODEL,
      metadata: { content: content("a fox --dur 6 --rs 480p --ratio 1:1") },
    });
    const done = await whenOver(`/v1/video/generations/${textOf(id)}`);

    expect(done).toMatchObject({
      status: "succeeded",
      metadata: { duration: 6, resolution: "480p", ratio: "1:1" },
    });
  });

  test("[B3.1] a task that the vendor rejects has failed, in the format of each endpoint", async () => {
    const { id } = await post(TASKS, {
      model: MODEL,
      content: content("[OutputVideoSensitiveContentDetected] a fox"),
    });
    const task = await whenOver(`${TASKS}/${textOf(id)}`);
    const unified = await whenOver(`/v1/video/generations/${textOf(id)}`);
    const video = await whenOver(`/v1/videos/${textOf(id)}`);

    expect(memberOf(task["error"], "code")).toBe("OutputVideoSensitiveContentDetected");
    expect(memberOf(unified["error"], "code")).toBe(400);
    expect(memberOf(video["error"], "code")).toBe("moderation_blocked");
  });
});
