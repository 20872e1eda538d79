import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, type JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { mp4Boxes } from "@sluice/sandbox/testing/media-files.ts";
import type { TestGateway } from "#test/harness.ts";
import { openClientsGateway } from "#test/languages/gateway.ts";
import { waitFor } from "#test/wait.ts";

const TEXT = "doubao-seed-1-6-250615";
const PICTURE = "doubao-seedream-4-0-250828";
const VIDEO = "doubao-seedance-1-0-pro-250528";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await openClientsGateway({ SLUICE_MEDIA_STORE: "folder" });
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe.each(["/api/v3", "/videoa/api/v3", "/seedance/api/v3"])(
  "clients of Ark, at %s",
  (base) => {
    const post = async (path: string, body: JsonObject) => {
      const answer = await gateway.post(base + path, body);
      const text = await answer.text();
      const json: unknown = text.startsWith("{") ? JSON.parse(text) : {};
      return { status: answer.status, text, body: json as JsonObject };
    };
    const messages = [{ role: "user", content: "Say hello." }];

    test("get text, complete and streamed", async () => {
      const chat = await post("/chat/completions", { model: TEXT, messages });
      const stream = await post("/chat/completions", { model: TEXT, messages, stream: true });
      const response = await post("/responses", { model: TEXT, input: "Say hello." });
      const id = textOf(response.body["id"]) ?? "";
      const kept = await gateway.get(`${base}/responses/${id}`);

      expect(chat.body).toMatchObject({ object: "chat.completion" });
      expect(stream.text).toEndWith("data: [DONE]\n\n");
      expect(response.body).toMatchObject({ object: "response", status: "completed" });
      expect(await kept.json()).toMatchObject({ id });
    });

    test("get embeddings", async () => {
      const { body } = await post("/embeddings", {
        model: "text-embedding-3-small",
        input: ["a", "b"],
      });

      expect(body["data"]).toHaveLength(2);
    });

    test("get images in the vendor's format, from models of any family", async () => {
      for (const model of [PICTURE, "gpt-image-1"]) {
        const { body } = await post("/images/generations", { model, prompt: "a fox" });

        expect(body).toMatchObject({
          model,
          data: [
            model === PICTURE ? { url: expect.any(String) } : { b64_json: expect.any(String) },
          ],
          usage: { generated_images: 1 },
        });
      }
    });

    test("get streamed images with the vendor's events", async () => {
      const { text } = await post("/images/generations", {
        model: PICTURE,
        prompt: "a fox",
        stream: true,
      });
      const events = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);

      expect(events).toEqual(["image_generation.partial_succeeded", "image_generation.completed"]);
      expect(text).toContain('"generated_images":1');
      expect(text).toEndWith("data: [DONE]\n\n");
    });

    test("download a video by its link, without a key", async () => {
      const begun = await post("/contents/generations/tasks", {
        model: VIDEO,
        content: [{ type: "text", text: "a fox" }],
      });
      const id = textOf(begun.body["id"]) ?? "";
      let task: JsonObject = {};
      await waitFor(async () => {
        const found = await gateway.get(`${base}/contents/generations/tasks/${id}`);
        task = objectOf((await found.json()) as JsonObject) ?? {};
        return task["status"] === "succeeded";
      }, 20_000);
      const link = textOf(memberOf(task["content"], "video_url")) ?? "";

      expect(link).toStartWith(`${gateway.url}/v1/videos/${id}/file?`);
      const file = await fetch(link);
      expect(file.headers.get("content-type")).toBe("video/mp4");
      const boxes = mp4Boxes(new Uint8Array(await file.arrayBuffer()));
      expect(boxes.map(({ path }) => path)).toContain("moov/trak/mdia");
      const part = await fetch(link, { headers: { range: "bytes=0-9" } });
      expect([part.status, part.headers.get("content-length")]).toEqual([206, "10"]);
      for (const wrong of [
        link.replace(id, "task_another"),
        link.replace(/user=\d+/, "user=999"),
        link.replace(/expires=\d+/, `expires=${Date.now() + 9e12}`),
        link.replace(/signature=.*/, ""),
        `${link}&index=1`,
      ]) {
        expect((await fetch(wrong)).status).toBe(404);
      }
    }, 40_000);

    test("get errors in the vendor's format at every endpoint", async () => {
      const wrongKey = await fetch(`${gateway.url}${base}/chat/completions`, {
        method: "POST",
        headers: { authorization: "Bearer wrong", "content-type": "application/json" },
        body: "{}",
      });
      const failures = [
        await post("/chat/completions", { model: TEXT, messages: [] }),
        await post("/chat/completions", { model: "none", messages }),
        await post("/responses", { model: TEXT }),
        await post("/images/generations", { model: PICTURE }),
        await post("/embeddings", { model: "none", input: "a" }),
        await post("/contents/generations/tasks", {}),
        await post("/unknown", {}),
        { status: wrongKey.status, body: (await wrongKey.json()) as JsonObject },
      ];

      expect(failures.map(({ status }) => status)).toEqual([
        400, 404, 400, 400, 404, 400, 404, 401,
      ]);
      for (const { body } of failures) {
        expect(isObject(body["error"])).toBe(true);
        expect(body["error"]).toMatchObject({
          code: expect.stringMatching(/^[A-Z]\w+(\.\w+)?$/),
          message: expect.any(String),
          type: expect.stringMatching(/^[A-Z]\w+$/),
        });
      }
    });
  },
);

test("an expired link is refused", async () => {
  let now = Date.now();
  await using later = await openClientsGateway(
    { SLUICE_MEDIA_STORE: "folder" },
    { now: () => now, monotonic: () => performance.now() },
  );
  const begun = await later.post("/api/v3/contents/generations/tasks", {
    model: VIDEO,
    content: [{ type: "text", text: "a fox" }],
  });
  const { id } = (await begun.json()) as { id: string };
  let link = "";
  await waitFor(async () => {
    const answer = await later.get(`/api/v3/contents/generations/tasks/${id}`);
    link = textOf(memberOf(((await answer.json()) as JsonObject)["content"], "video_url")) ?? "";
    return link !== "";
  }, 20_000);

  expect((await fetch(link)).status).toBe(200);
  now += 25 * 3_600_000;
  expect((await fetch(link)).status).toBe(404);
}, 40_000);
