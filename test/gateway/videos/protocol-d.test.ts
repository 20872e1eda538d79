import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { asking } from "./asked.ts";
import { openFake, type SentRequest, type FakeVendor } from "./fake-vendor.ts";

const MODEL = "MiniMax-H3";
const VIDEO = "https://videos.example/fox.mp4";
const CONTENT = [{ type: "text", text: "a fox" }];

let vendor: FakeVendor;
let at: ReturnType<typeof asking>;
beforeAll(async () => {
  vendor = await openFake("minimax", [MODEL], answer);
  at = asking(vendor.opened);
});
afterAll(() => vendor[Symbol.asyncDispose]());

let told: JsonObject = {};
let made = 0;

function answer({ method, path }: SentRequest): object {
  if (method === "POST") return { task_id: `42401098573862${++made}` };
  return { task: { id: path.split("/").at(-1) ?? "", ...told } };
}

const submit = (body: JsonObject = {}) =>
  at.post("/videod/v2/video_generation", {
    model: MODEL,
    content: CONTENT,
    resolution: "768P",
    duration: 5,
    ...body,
  });
const ask = (id: string) => at.get(`/videod/v2/query/video_generation/${id}`);

describe("[B4.5] protocol D", () => {
  test("accepts a task, and sends its vendor the same request", async () => {
    const { status, body } = await submit({
      ratio: "9:16",
      resolution: "2K",
      aigc_watermark: true,
    });

    expect(status).toBe(200);
    expect(body).toEqual({ task_id: expect.stringMatching(/^task_/) });
    expect(vendor.asked.at(-1)).toEqual({
      method: "POST",
      path: "/v2/video_generation",
      body: {
        model: MODEL,
        content: CONTENT,
        resolution: "2K",
        duration: 5,
        ratio: "9:16",
        aigc_watermark: true,
      },
    });
  });

  test.each<[JsonObject, JsonObject]>([
    [{ status: "queued" }, { status: "queued" }],
    [{ status: "running" }, { status: "running" }],
    [
      { status: "succeeded", content: { url: VIDEO }, resolution: "768P", duration: 5 },
      { status: "succeeded", content: { url: VIDEO }, resolution: "768P", duration: 5 },
    ],
    [{ status: "cancelled" }, { status: "cancelled" }],
    [{ status: "expired" }, { status: "failed" }],
    [
      { status: "failed", error: { code: "1027", message: "It may be sensitive." } },
      { status: "failed", error: { code: "1027", message: "It may be sensitive." } },
    ],
  ])("[B2.5] [B3.1] reports %j", async (said, expected) => {
    told = said;
    const { body } = await submit();
    const id = textOf(body["task_id"]) ?? "";

    expect(await ask(id)).toMatchObject({
      status: 200,
      body: {
        task: {
          id,
          model: MODEL,
          created_at: expect.any(Number),
          updated_at: expect.any(Number),
          ...expected,
        },
      },
    });
  });

  test.each(['"https://caller.example/"', '""', "null", "{}"])(
    "refuses a callback_url of %s, before an upstream call",
    async (value) => {
      const before = vendor.asked.length;
      const body = JSON.stringify({
        model: MODEL,
        content: CONTENT,
        resolution: "2K",
        duration: 4,
      });
      const sent = `${body.slice(0, -1)}, "callback_url": ${value}}`;
      const response = await vendor.opened.post("/videod/v2/video_generation", sent);

      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        type: "error",
        error: {
          type: "invalid_request_error",
          message: expect.stringContaining("'callback_url' must be omitted"),
          http_code: "400",
        },
        request_id: response.headers.get("x-request-id"),
      });
      expect(vendor.asked).toHaveLength(before);
    },
  );

  test("[B7] reports an unknown task in its own format", async () => {
    expect(await ask("task_nobody")).toMatchObject({
      status: 404,
      body: { type: "error", error: { type: "not_found_error", http_code: "404" } },
    });
  });
});
