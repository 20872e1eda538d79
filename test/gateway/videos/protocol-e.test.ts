import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { waitFor } from "#test/wait.ts";
import { asking, bodyOf, openVideos, type VideoGateway } from "./asked.ts";
import { openFake } from "./fake-vendor.ts";

const FIVE_SECONDS = 500_000_000;
const LINK = "https://pictures.example/fox.png";

let at: VideoGateway;
beforeAll(async () => {
  at = await openVideos("kling", ["kling-v2-6", "kling-v3-omni", "kling-3.0", "kling-3.0-omni"]);
});
afterAll(() => at[Symbol.asyncDispose]());

describe("[B4.6-a] the first style of protocol E", () => {
  test.each<[string, JsonObject]>([
    ["text2video", { model_name: "kling-v2-6", metadata: { negative_prompt: "", sound: "off" } }],
    ["image2video", { model: "kling-v2-6", image: LINK, image_tail: LINK, mode: "pro" }],
    [
      "omni-video",
      { model_name: "kling-v3-omni", image_list: [{ image_url: LINK, type: "first_frame" }] },
    ],
  ])("makes a video at %s, and is read there", async (scenario, body) => {
    const path = `/videoe/v1/videos/${scenario}`;
    const submitted = await at.post(path, { prompt: "a fox", duration: "5", ...body });

    expect(submitted).toMatchObject({ status: 200, body: { code: 0, object: "video" } });
    const id = textOf(submitted.body["task_id"]) ?? "";
    expect(id).toStartWith("task_");
    expect(submitted.body["request_id"]).toBe(submitted.headers.get("x-request-id"));
    const { body: answer } = await at.get(`${path}/${id}`);
    expect(answer).toMatchObject({
      code: 0,
      message: "SUCCEED",
      request_id: expect.stringMatching(/./),
      status: "succeeded",
      data: {
        task_id: id,
        task_status: "succeed",
        task_result: {
          videos: [{ url: expect.stringMatching(/^http/), duration: expect.stringMatching(/^5/) }],
        },
      },
    });
    expect((await fetch(textOf(answer["url"]) ?? "")).status).toBe(200);
    expect(at.costOf(id)).toBe(FIVE_SECONDS);
  });

  test("finds a task by the client's own id, too, which is unique", async () => {
    const path = "/videoe/v1/videos/text2video";
    const body = { model_name: "kling-v2-6", prompt: "a fox", external_task_id: "order-1" };
    const { body: first } = await at.post(path, body, { "idempotency-key": "order-1" });
    const again = await at.post(path, body, { "idempotency-key": "order-1" });
    const another = await at.post(path, body);

    expect(again.body).toEqual(first);
    expect(another).toMatchObject({
      status: 400,
      body: { code: 1201, message: expect.stringContaining("'external_task_id' is already used") },
    });
    const { body: found } = await at.get(`${path}/order-1`);
    expect(found).toMatchObject({
      id: memberOf(first, "id"),
      data: { task_info: { external_task_id: "order-1" } },
    });
    // The vendor knows it by our id.
    expect(bodyOf(at, "/v1/videos/text2video")).toMatchObject({ external_task_id: first["id"] });
  });

  test("creates one task if several concurrent requests have one external id", async () => {
    const path = "/videoe/v1/videos/text2video";
    const body = { model_name: "kling-v2-6", prompt: "a fox", external_task_id: "order-3" };
    const asked = (): number =>
      at.sandbox.requests.filter((each) => each.path.endsWith("/v1/videos/text2video")).length;
    const before = asked();

    const answers = await Promise.all(Array.from({ length: 4 }, () => at.post(path, body)));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 400, 400, 400,
    ]);
    expect(asked() - before).toBe(1);
  });

  test("[B7] has its own error format, with the request's id", async () => {
    const path = "/videoe/v1/videos/text2video";
    const refused = await at.post(path, { model_name: "kling-v2-6", prompt: "a", mode: "best" });
    const unknown = await at.get(`${path}/task_nobody`);
    const stranger = await fetch(at.opened.url + path, { method: "POST", body: "{}" });

    expect(refused).toMatchObject({ status: 400, body: { code: 1201 } });
    expect(refused.body["request_id"]).toBe(refused.headers.get("x-request-id"));
    expect(unknown).toMatchObject({ status: 404, body: { code: 1203 } });
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ code: 1002 });
  });
});

describe("[B4.6-b] the newer style of protocol E", () => {
  test.each<[string, JsonObject]>([
    ["text-to-video/kling-3.0", { prompt: "a fox" }],
    [
      "image-to-video/kling-3.0",
      {
        contents: [
          { type: "prompt", text: "a fox" },
          { type: "first_frame", url: LINK },
        ],
      },
    ],
    [
      "omni-video/kling-3.0-omni",
      {
        contents: [
          { type: "prompt", text: "a fox like @fox" },
          { type: "refer_image", url: LINK, id: "fox" },
        ],
        settings: { aspect_ratio: "1:1", duration: 5, multi_shot: true },
      },
    ],
  ])("makes a video at %s, and is read in a list", async (path, body) => {
    const submitted = await at.post(`/videoe/${path}`, body);

    expect(submitted).toMatchObject({ status: 200, body: { code: 0 } });
    const id = textOf(memberOf(submitted.body["data"], "id")) ?? "";
    const { body: answer } = await at.get(`/videoe/tasks?task_ids=${id}`);
    expect(answer).toMatchObject({
      code: 0,
      request_id: expect.stringMatching(/./),
      data: [
        {
          id,
          status: "succeeded",
          create_time: expect.any(Number),
          outputs: [{ type: "video", url: expect.stringMatching(/^http/) }],
        },
      ],
    });
    expect(at.costOf(id)).toBe(FIVE_SECONDS);
    expect(bodyOf(at, `/${path}`)).toMatchObject(
      "contents" in body ? { contents: body["contents"] as object } : { prompt: "a fox" },
    );
  });

  test("finds a task by the client's own id, too, which is not sent to the vendor", async () => {
    const { body } = await at.post("/videoe/text-to-video/kling-3.0", {
      prompt: "a fox",
      options: { external_task_id: "order-2" },
    });
    const { body: found } = await at.get("/videoe/tasks?external_task_ids=order-2");

    expect(found).toMatchObject({
      data: [{ id: memberOf(body["data"], "id"), external_id: "order-2" }],
    });
    expect(bodyOf(at, "/text-to-video/kling-3.0")).toMatchObject({
      options: { external_task_id: memberOf(body["data"], "id") },
    });
  });

  test.each([
    "",
    "?task_ids=",
    "?task_ids=a,b",
    "?external_task_ids=a,b",
    "?task_ids=a&external_task_ids=b",
    "?task_ids=a&task_ids=b",
  ])("reads one task per request: %s is refused", async (query) => {
    expect(await at.get(`/videoe/tasks${query}`)).toMatchObject({
      status: 400,
      body: { code: 1201 },
    });
  });

  test("lists no unknown task", async () => {
    expect(await at.get("/videoe/tasks?task_ids=task_nobody")).toMatchObject({
      status: 200,
      body: { code: 0, data: [] },
    });
  });

  test("reports why there is no video, without a charge", async () => {
    const { body } = await at.post("/videoe/text-to-video/kling-3.0", { prompt: "a fox [fail]" });
    const id = textOf(memberOf(body["data"], "id")) ?? "";
    const { body: answer } = await at.get(`/videoe/tasks?task_ids=${id}`);

    expect(answer).toMatchObject({
      code: 0,
      data: [{ id, status: "failed", error: { message: expect.stringMatching(/./) }, outputs: [] }],
    });
    expect(at.costOf(id)).toBe(0);
  });

  test("[B4.6-c] refuses more media than an omni model accepts, before an upstream is called", async () => {
    const contents = Array<JsonObject>(8).fill({ type: "refer_image", url: LINK });
    const before = at.sandbox.requests.length;

    expect(await at.post("/videoe/omni-video/kling-3.0-omni", { contents })).toMatchObject({
      status: 400,
      body: { code: 1201 },
    });
    expect(at.sandbox.requests).toHaveLength(before);
  });

  test("charges an edited video by its actual length", async () => {
    const model = "kling-3.0-omni";
    await using fake = await openFake("kling", [model], ({ method }) => {
      if (method === "POST") return { code: 0, data: { id: "8730", status: "submitted" } };
      const outputs = [{ type: "video", url: "https://cdn.example/v.mp4", duration: "9.966" }];
      return { code: 0, data: [{ id: "8730", status: "succeeded", outputs }] };
    });
    const { post, get, costOf } = asking(fake.opened);
    const contents = [
      { type: "prompt", text: "make it snow" },
      { type: "base_video", url: "https://films.example/fox.mp4" },
    ];
    const { body } = await post(`/videoe/omni-video/${model}`, {
      contents,
      settings: { duration: 3 },
    });
    const id = textOf(memberOf(body["data"], "id")) ?? "";

    await get(`/videoe/tasks?task_ids=${id}`);
    await waitFor(() => costOf(id) !== undefined);

    expect(costOf(id)).toBe(2 * FIVE_SECONDS);
  });
});
