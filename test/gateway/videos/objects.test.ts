import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { openVideoPlace, SEEDANCE, SORA, type VideoPlace } from "#test/video-place.ts";

const PATH = "/v1/videos";
const QUEUED = { id: "video_upstream", object: "video", status: "queued", progress: 0 };
const DONE = { ...QUEUED, status: "completed", progress: 100, seconds: "8", size: "1280x720" };

let place: VideoPlace;
beforeAll(async () => {
  place = await openVideoPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.taken = { body: QUEUED };
  place.task = { body: QUEUED };
});

const create = (body: unknown) => place.send("POST", PATH, body);
const idOf = (body: JsonObject): string => textOf(body["id"]) ?? "";

async function made(): Promise<string> {
  const { body } = await create({ model: SORA, prompt: "a fox", seconds: "8", size: "1280x720" });
  place.task = { body: DONE };
  await place.until(`${PATH}/${idOf(body)}`, ({ status }) => status === "completed");
  return idOf(body);
}

describe("[B4.7] a video", () => {
  test("[B2.7] is an object from the start, and keeps its id until it is done", async () => {
    const { status, body } = await create({
      model: SORA,
      prompt: "a fox",
      seconds: "8",
      size: "1280x720",
    });
    place.task = { body: DONE };
    const id = idOf(body);
    const done = await place.until(`${PATH}/${id}`, (answer) => answer["status"] === "completed");

    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      task_id: id,
      object: "video",
      model: SORA,
      status: "queued",
      progress: 0,
      prompt: "a fox",
      seconds: "8",
      size: "1280x720",
      completed_at: null,
      remixed_from_video_id: null,
      error: null,
    });
    expect(done).toMatchObject({ id, progress: 100, seconds: "8", size: "1280x720" });
    // What its vendor keeps behind a credential is handed over by the gateway.
    expect(done["metadata"]).toEqual({
      url: `${place.gateway.url}/v1/videos/${id}/content`,
    });
    expect(JSON.stringify(done)).not.toContain("video_upstream");
  });

  test("can be requested by a form, under either path", async () => {
    const form = new FormData();
    form.set("model", SORA);
    form.set("prompt", "a fox");
    form.set("seconds", "12");
    const { status, body } = await place.send("POST", `/openai${PATH}`, form);
    const read = await place.send("GET", `/openai${PATH}/${idOf(body)}`);

    expect([status, body["seconds"]]).toEqual([200, "12"]);
    expect(read.body["id"]).toBe(idOf(body));
    expect(place.asked()[0]?.body).toEqual({
      model: SORA,
      prompt: "a fox",
      seconds: "12",
      size: "720x1280",
    });
  });

  test("of another endpoint is readable here, and the reverse", async () => {
    place.taken = { body: { id: "cgt-upstream" } };
    const { body } = await create({ model: SEEDANCE, prompt: "a fox" });
    const unified = await place.send("GET", `/v1/video/generations/${idOf(body)}`);

    expect(unified.body).toMatchObject({ task_id: idOf(body), status: "queued" });
  });

  test("that failed has a reason", async () => {
    const { body } = await create({ model: SORA, prompt: "a fox" });
    place.task = {
      body: { ...QUEUED, status: "failed", error: { code: "moderation_blocked", message: "No." } },
    };
    const failed = await place.until(
      `${PATH}/${idOf(body)}`,
      (answer) => answer["status"] === "failed",
    );

    expect(failed["error"]).toEqual({ code: "moderation_blocked", message: "No." });
  });

  test("that is unknown is not found", async () => {
    for (const [method, path] of [
      ["GET", `${PATH}/task_none`],
      ["DELETE", `${PATH}/task_none`],
    ] as const) {
      const { status, body } = await place.send(method, path);
      expect([status, memberOf(body["error"], "code")]).toEqual([404, "not_found"]);
    }
  });
});

describe("[B4.7] a remix", () => {
  test("is made by the account of its source, and refers to the source by the gateway's id", async () => {
    const source = await made();
    const account = place.asked().at(-1)?.headers.get("authorization");
    place.taken = { body: { ...QUEUED, id: "video_remixed_upstream" } };
    const answers = [];
    for (const _ of [1, 2, 3, 4]) {
      answers.push(await place.send("POST", `${PATH}/${source}/remix`, { prompt: "a blue fox" }));
    }
    const asked = place.asked().slice(-4);

    for (const { status, body, lossy } of answers) {
      expect(status).toBe(200);
      expect(lossy).toBeNull();
      expect(body).toMatchObject({
        status: "queued",
        model: SORA,
        prompt: "a blue fox",
        remixed_from_video_id: source,
        seconds: "8",
        size: "1280x720",
      });
    }
    for (const { path, headers, body } of asked) {
      expect(path).toMatch(/^\/openai\/v1\/videos\/video_upstream\d+\/remix$/);
      expect(headers.get("authorization")).toBe(account ?? "");
      expect(body).toEqual({ prompt: "a blue fox" });
    }
    const [first] = answers;
    const read = await place.send("GET", `${PATH}/${idOf(first?.body ?? {})}`);
    expect(read.body["remixed_from_video_id"]).toBe(source);
  });

  test("of an unfinished video, without a prompt, or by another model is refused", async () => {
    const { body } = await create({ model: SORA, prompt: "a fox" });
    const source = await made();
    place.task = { body: QUEUED };
    const early = await place.send("POST", `${PATH}/${idOf(body)}/remix`, { prompt: "blue" });
    const silent = await place.send("POST", `${PATH}/${source}/remix`, {});
    const other = await place.send("POST", `${PATH}/${source}/remix`, {
      prompt: "blue",
      model: "sora-2-pro",
    });
    const unknown = await place.send("POST", `${PATH}/task_none/remix`, { prompt: "blue" });

    expect([early.status, silent.status, other.status, unknown.status]).toEqual([
      400, 400, 400, 404,
    ]);
    expect(early.body["error"]).toMatchObject({
      type: "invalid_request_error",
      message: "The video cannot be remixed: its status is 'queued'.",
    });
    expect(memberOf(silent.body["error"], "param")).toBe("prompt");
    expect(memberOf(other.body["error"], "param")).toBe("model");
  });

  test("is refused if the vendor does not support it", async () => {
    place.taken = { body: { id: "cgt-upstream" } };
    const { body } = await create({ model: SEEDANCE, prompt: "a fox" });
    place.task = {
      body: { status: "succeeded", content: { video_url: "https://cdn.example/v.mp4" } },
    };
    await place.until(`${PATH}/${idOf(body)}`, ({ status }) => status === "completed");
    const { status, body: refusal } = await place.send("POST", `${PATH}/${idOf(body)}/remix`, {
      prompt: "blue",
    });

    expect([status, memberOf(refusal["error"], "code")]).toEqual([400, "unsupported_parameter"]);
  });
});

describe("videos", () => {
  test("are listed page by page, the newest first", async () => {
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push(idOf((await create({ model: SORA, prompt: "a" })).body));
    const list = async (query: string) => (await place.send("GET", `${PATH}?${query}`)).body;
    const idsIn = (page: JsonObject): readonly (Json | undefined)[] =>
      listOf(page["data"]).map((each) => memberOf(each, "id"));

    const first = await list("limit=2");
    const second = await list(`limit=1&after=${ids[1]}`);
    const upwards = await list("order=asc&limit=100");
    const none = await list("limit=0");
    const refused = await place.send("GET", `${PATH}?limit=1000`);

    expect(first).toMatchObject({
      object: "list",
      first_id: ids[2] ?? "",
      last_id: ids[1] ?? "",
      has_more: true,
    });
    expect(idsIn(first)).toEqual([ids[2] ?? "", ids[1] ?? ""]);
    expect(idsIn(second)).toEqual([ids[0] ?? ""]);
    expect(idsIn(upwards).slice(-3)).toEqual(ids);
    expect(upwards["has_more"]).toBe(false);
    expect(none).toMatchObject({ data: [], first_id: null, last_id: null });
    expect([refused.status, memberOf(refused.body["error"], "param")]).toEqual([400, "limit"]);
  });

  test("can be deleted after their end, and not before", async () => {
    const { body } = await create({ model: SORA, prompt: "a fox" });
    const id = await made();
    place.task = { body: QUEUED };
    const early = await place.send("DELETE", `${PATH}/${idOf(body)}`);
    const deleted = await place.send("DELETE", `${PATH}/${id}`);
    const gone = await place.send("GET", `${PATH}/${id}`);

    expect(early.status).toBe(400);
    expect(deleted).toMatchObject({
      status: 200,
      body: { id, object: "video.deleted", deleted: true },
    });
    expect(gone.status).toBe(404);
  });
});
