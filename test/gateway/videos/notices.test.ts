import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { waitFor } from "#test/wait.ts";
import { openVideos, type VideoGateway } from "./asked.ts";

let receiver: Bun.Server<undefined>;
let at: VideoGateway;
const told: { readonly headers: Headers; readonly body: JsonObject }[] = [];
beforeAll(async () => {
  receiver = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      told.push({ headers: request.headers, body: (await request.json()) as JsonObject });
      return Response.json({ code: 0, message: "success" });
    },
  });
  at = await openVideos("kling", ["kling-v2-6", "kling-3.0"], {
    SLUICE_LINKS_ALLOW: "127.0.0.1",
    SLUICE_LINKS_PORTS: `${receiver.port}`,
  });
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await receiver.stop(true);
});

describe("[B6] a client that names a webhook address gets events of its video", () => {
  test.each<[string, (callback_url: string) => readonly [string, JsonObject], string, object]>([
    [
      "newer",
      (callback_url) => [
        "/videoe/text-to-video/kling-3.0",
        { prompt: "a fox", options: { callback_url } },
      ],
      "id",
      { status: "succeeded", outputs: [{ type: "video" }] },
    ],
    [
      "first",
      (callback_url) => [
        "/videoe/v1/videos/text2video",
        { model_name: "kling-v2-6", prompt: "a fox", callback_url },
      ],
      "task_id",
      { task_status: "succeed", task_result: { videos: [{ id: expect.any(String) }] } },
    ],
  ])("in protocol E's %s style, as the task alone and signed", async (_style, ask, name, done) => {
    const { body } = await at.post(...ask(receiver.url.href));
    const id = textOf(memberOf(body["data"], name)) ?? "";
    const about = () => told.filter((each) => each.body[name] === id);
    const last = () => about().at(-1);
    await at.get(`/videoe/tasks?task_ids=${id}`);
    const word = () => textOf(last()?.body["status"] ?? last()?.body["task_status"]) ?? "";
    await waitFor(() => word().startsWith("succe"), 20_000);

    expect(last()?.body).toMatchObject({ [name]: id, ...done });
    expect(last()?.headers.get("webhook-signature")).toMatch(/^v1,/);
    expect(last()?.body).not.toHaveProperty("code");
  });
});
