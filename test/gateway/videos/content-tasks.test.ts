import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { CHATTY, FAST, openVideoPlace, SEEDANCE, type VideoPlace } from "#test/video-place.ts";

const PATH = "/videoa/api/v3/contents/generations/tasks";
const WORDS = { type: "text", text: "a fox" };
const CDN = "https://cdn.example/v.mp4?X-Tos-Expires=86400";

let place: VideoPlace;
beforeAll(async () => {
  place = await openVideoPlace();
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.taken = { body: { id: "cgt-upstream" } };
  place.task = { body: { id: "cgt-upstream", status: "queued" } };
  place.cancelled = { body: {} };
});

const submit = (body: JsonObject) =>
  place.send("POST", PATH, { model: SEEDANCE, content: [WORDS], ...body });

async function submitted(body: JsonObject = {}): Promise<string> {
  const answer = await submit(body);
  expect(answer.status).toBe(200);
  return textOf(answer.body["id"]) ?? "";
}

const messageIn = ({ body }: { readonly body: JsonObject }) => memberOf(body["error"], "message");

describe("[B4.2-a] a task", () => {
  test("reaches the vendor with every field, including an explicit false", async () => {
    const fields = {
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      generate_audio: false,
      return_last_frame: true,
      seed: 7,
      watermark: false,
    };
    const { status, body } = await submit(fields);

    expect(status).toBe(200);
    expect(body).toEqual({ id: expect.stringMatching(/^task_/) });
    expect(place.asked()[0]?.body).toEqual({ model: SEEDANCE, content: [WORDS], ...fields });
    expect(place.asked()[0]?.path).toBe("/ark/api/v3/contents/generations/tasks");
  });

  test("[B2.2] [B3.1] is queued, then processing, then done", async () => {
    const id = await submitted();
    const queued = await place.send("GET", `${PATH}/${id}`);
    place.task = { body: { status: "running" } };
    const running = await place.until(`${PATH}/${id}`, ({ status }) => status === "processing");
    place.task = {
      body: {
        status: "succeeded",
        content: { video_url: CDN, last_frame_url: "https://cdn.example/l.png" },
        usage: { completion_tokens: 108_900, total_tokens: 108_900 },
        resolution: "720p",
        ratio: "16:9",
        duration: 5,
        framespersecond: 24,
        seed: 42,
      },
    };
    const done = await place.until(`${PATH}/${id}`, ({ status }) => status === "succeeded");

    expect(queued.body).toMatchObject({ id, model: SEEDANCE, status: "queued" });
    expect(running).not.toHaveProperty("content");
    expect(done).toMatchObject({
      id,
      status: "succeeded",
      content: { video_url: CDN, last_frame_url: "https://cdn.example/l.png" },
      usage: { completion_tokens: 108_900, total_tokens: 108_900 },
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      framespersecond: 24,
      seed: 42,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect(JSON.stringify(done)).not.toContain("cgt-upstream");
  });

  test("is found under the shipped alias and under its own path", async () => {
    const other = PATH.replace("/videoa", "/seedance");
    const { status, body } = await place.send("POST", other, { model: SEEDANCE, content: [WORDS] });
    const read = await place.send("GET", `${other}/${textOf(body["id"])}`);
    const none = await place.send("GET", "/seedance/api/v3/elsewhere");

    expect([status, read.body["status"]]).toEqual([200, "queued"]);
    expect([none.status, memberOf(none.body["error"], "code")]).toEqual([404, "ResourceNotFound"]);
  });
});

describe("[B4.2-c] a task is refused", () => {
  test.each<[JsonObject, string]>([
    [{ model: "" }, "model is required"],
    [{ model: "nobody's" }, "unsupported seedance model: nobody's"],
    [{ model: CHATTY }, `unsupported seedance model: ${CHATTY}`],
    [{ content: [] }, "text content is required"],
    [{ content: [WORDS, { type: "image_url" }] }, "image_url.url is required"],
    [
      {
        content: [
          WORDS,
          { type: "image_url", image_url: { url: CDN }, role: "last_image" },
          { type: "image_url", image_url: { url: CDN }, role: "reference_image" },
        ],
      },
      "last frame image content cannot be mixed with reference image",
    ],
    [{ duration: 3 }, "duration must be between 4 and 15"],
    [{ duration: 16 }, "duration must be between 4 and 15"],
    [
      { model: FAST, resolution: "1080p" },
      "This model does not support 1080p: it makes 480p, 720p",
    ],
  ])("with the protocol's error: %j", async (body, message) => {
    const answer = await submit(body);

    expect(answer.status).toBe(400);
    expect(answer.body["error"]).toMatchObject({ code: "InvalidParameter", type: "BadRequest" });
    expect(messageIn(answer)).toBe(message);
    expect(place.asked()).toEqual([]);
  });

  test("for an account without the model", async () => {
    place.taken = {
      status: 404,
      body: { error: { code: "ModelNotOpen", message: "Not open.", type: "NotFound" } },
    };
    const { body } = await submit({});

    expect(body["error"]).toMatchObject({ code: "ModelNotOpen" });
  });

  test("in JSON also for unknown paths and without a key", async () => {
    const nowhere = await place.send("POST", "/videoa/api/v3/elsewhere", {});
    const method = await place.send("PUT", PATH, {});
    const nobody = await place.send("GET", `${PATH}/task_1`, undefined, "sk-nobody");

    expect([nowhere, method, nobody].map(({ status }) => status)).toEqual([404, 405, 401]);
    expect([nowhere, method, nobody].map(({ body }) => memberOf(body["error"], "code"))).toEqual([
      "ResourceNotFound",
      "MethodNotAllowed",
      "AuthenticationError",
    ]);
  });
});

describe("tasks", () => {
  test("are listed by page, state and id", async () => {
    const ids = [await submitted(), await submitted(), await submitted()];
    const list = async (query: string) => (await place.send("GET", `${PATH}?${query}`)).body;
    const some = ids.map((id) => `filter.task_ids=${id}`).join("&");
    const page = await list(`page_num=2&page_size=2&${some}`);
    const none = await list(`filter.status=succeeded&${some}`);
    const refused = await place.send("GET", `${PATH}?filter.status=done`);

    expect(page["total"]).toBe(3);
    expect(listOf(page["items"]).map((each) => memberOf(each, "id"))).toEqual([ids[0] ?? ""]);
    expect(none).toEqual({ items: [], total: 0 });
    expect([refused.status, memberOf(refused.body["error"], "param")]).toEqual([
      400,
      "filter.status",
    ]);
  });

  test("[decision 34] are cancelled before they begin", async () => {
    const id = await submitted();
    const { status, body } = await place.send("DELETE", `${PATH}/${id}`);
    place.task = { body: { status: "cancelled" } };
    const failed = await place.until(`${PATH}/${id}`, (answer) => answer["status"] === "failed");

    expect([status, body]).toEqual([200, {}]);
    expect(place.vendor.seen.find(({ method }) => method === "DELETE")?.path).toMatch(
      /^\/ark\/api\/v3\/contents\/generations\/tasks\/cgt-upstream\d+$/,
    );
    expect(failed["error"]).toMatchObject({ code: "task_cancelled" });
  });

  test("that were finished since the last poll are not deleted at their vendor", async () => {
    const id = await submitted();
    expect((await place.send("GET", `${PATH}/${id}`)).body["status"]).toBe("queued");
    place.task = { body: { status: "succeeded", content: { video_url: CDN } } };

    const refused = await place.send("DELETE", `${PATH}/${id}`);

    expect([refused.status, messageIn(refused)]).toEqual([
      400,
      "A task that has begun cannot be cancelled",
    ]);
    expect(place.vendor.seen.filter(({ method }) => method === "DELETE")).toEqual([]);
    await place.until(`${PATH}/${id}`, ({ status }) => status === "succeeded");
  });

  test("that run are kept, and finished ones are removed", async () => {
    const id = await submitted();
    place.task = { body: { status: "running" } };
    await place.until(`${PATH}/${id}`, ({ status }) => status === "processing");
    const early = await place.send("DELETE", `${PATH}/${id}`);
    place.task = { body: { status: "failed", error: { code: "InternalServiceError" } } };
    await place.until(`${PATH}/${id}`, ({ status }) => status === "failed");
    const late = await place.send("DELETE", `${PATH}/${id}`);
    const gone = await place.send("GET", `${PATH}/${id}`);

    expect([early.status, messageIn(early)]).toEqual([
      400,
      "A task that has begun cannot be cancelled",
    ]);
    expect([late.status, gone.status]).toEqual([200, 404]);
    expect(place.vendor.seen.filter(({ method }) => method === "DELETE")).toEqual([]);
  });
});
