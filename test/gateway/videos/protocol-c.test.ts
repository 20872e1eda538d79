import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { pngUrl } from "@sluice/sandbox/testing/pictures.ts";
import { waitFor } from "#test/wait.ts";
import { asking, bodyOf, openVideos, type VideoGateway } from "./asked.ts";
import { openFake } from "./fake-vendor.ts";

const FIVE_SECONDS = 500_000_000;
const PREFIX = "/videoc/ent/v2";
const PICTURE = pngUrl(640, 640);

let at: VideoGateway;
beforeAll(async () => {
  at = await openVideos("vidu", ["viduq2", "viduq2-pro"]);
});
afterAll(() => at[Symbol.asyncDispose]());

const submit = (path: string, body: JsonObject = {}) =>
  at.post(`${PREFIX}/${path}`, { model: "viduq2", prompt: "a fox", duration: 5, ...body });

describe("[B4.4] protocol C", () => {
  test.each<[string, number]>([
    ["text2video", 0],
    ["img2video", 1],
    ["start-end2video", 2],
    ["reference2video", 3],
  ])("makes a video at %s, and returns the given payload", async (path, count) => {
    const images = Array<string>(count).fill(PICTURE);
    const submitted = await submit(path, { images, payload: "mine", resolution: "720P" });

    expect(submitted).toMatchObject({
      status: 200,
      body: { object: "video", model: "viduq2", status: "queued", created_at: expect.any(Number) },
    });
    const id = textOf(submitted.body["task_id"]) ?? "";
    expect(id).toStartWith("task_");
    expect(submitted.body["id"]).toBe(id);
    const { body } = await at.get(`${PREFIX}/tasks/${id}/creations`);
    expect(body).toMatchObject({
      id,
      state: "success",
      err_code: "",
      payload: "mine",
      creations: [
        { url: expect.stringMatching(/^http/), cover_url: expect.stringMatching(/^http/) },
      ],
    });
    expect(at.costOf(id)).toBe(FIVE_SECONDS);
    expect(bodyOf(at, `/vidu/ent/v2/${path}`)).toMatchObject({ resolution: "720p", payload: id });
  });

  test("reports a changed kind of video if the path does not support the number of images", async () => {
    const images = [PICTURE, PICTURE];
    const strict = { "sluice-strict": "true" };
    const body = { model: "viduq2", prompt: "a fox", duration: 5, images };

    const changed = await at.post(`${PREFIX}/img2video`, body);
    const refused = await at.post(`${PREFIX}/img2video`, body, strict);
    const fitting = await at.post(`${PREFIX}/start-end2video`, body);

    expect([changed.status, changed.headers.get("sluice-lossy")]).toEqual([200, "scenario"]);
    expect(refused.status).toBe(400);
    expect([fitting.status, fitting.headers.get("sluice-lossy")]).toEqual([200, null]);
  });

  test.each<[string, number]>([
    ["img2video", 1],
    ["start-end2video", 2],
    ["reference2video", 3],
  ])("sends its vendor %s for %d images without a stated purpose", async (path, count) => {
    const before = at.sandbox.requests.length;
    await submit("text2video", { images: Array<string>(count).fill(PICTURE) });

    expect(at.sandbox.requests.slice(before).map((each) => each.path)).toContain(
      `/vidu/ent/v2/${path}`,
    );
  });

  test("sends references to a model that supports them, and reports them for others", async () => {
    const metadata = { action: "reference" };

    expect((await submit("img2video", { images: [PICTURE], metadata })).status).toBe(200);
    expect(
      await submit("reference2video", { model: "viduq2-pro", images: [PICTURE] }),
    ).toMatchObject({
      status: 400,
      body: {
        code: 400,
        reason: "FieldInvalid",
        message: "This model does not accept references.",
      },
    });
  });

  test("[B7] has its own error format, with the request's id", async () => {
    const refused = await submit("img2video");
    const unknown = await at.get(`${PREFIX}/tasks/task_nobody/creations`);

    expect(refused).toMatchObject({
      status: 400,
      body: { reason: "FieldInvalid", metadata: { field: "images" } },
    });
    expect(refused.body["metadata"]).toMatchObject({
      trace_id: refused.headers.get("x-request-id"),
    });
    expect(unknown).toMatchObject({ status: 404, body: { reason: "TaskNotFound" } });
  });

  test("cancels a task that has not begun, without cost", async () => {
    at.sandbox.tasks.set({ queuedMs: 60_000 });
    const { body } = await submit("text2video");
    at.sandbox.tasks.reset();
    const id = textOf(body["id"]) ?? "";
    const tasks = `${PREFIX}/tasks/${id}`;

    expect(await at.get(`${tasks}/creations`)).toMatchObject({ body: { state: "queueing" } });
    expect(await at.post(`${tasks}/cancel`, { id })).toMatchObject({ status: 200, body: {} });
    const read = async () => (await at.get(`${tasks}/creations`)).body;
    await waitFor(async () => (await read())["state"] === "failed");
    expect(await read()).toMatchObject({ err_code: "UserCancelled", creations: [] });
    await waitFor(() => at.costOf(id) !== undefined);
    expect(at.costOf(id)).toBe(0);
    expect(await at.post(`${tasks}/cancel`, { id })).toMatchObject({
      status: 400,
      body: { reason: "FieldInvalid" },
    });
  });

  test("does not cancel a task without a known upstream id", async () => {
    await using fake = await openFake("vidu", ["viduq2"], () => new Response("", { status: 500 }));
    const { post } = asking(fake.opened);
    const { body } = await post(`${PREFIX}/text2video`, { model: "viduq2", prompt: "a fox" });

    expect(await post(`${PREFIX}/tasks/${textOf(body["id"])}/cancel`, {})).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("not known yet") },
    });
    expect(fake.asked.map(({ path }) => path)).toEqual(["/ent/v2/text2video"]);
  });
});
