import { describe, expect, test } from "bun:test";
import OpenAI, { NotFoundError, RateLimitError, toFile } from "openai";
import { SHARED, withShared } from "../../test/shared.ts";
import type { Json, JsonObject } from "./json.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { failure } from "./testing/failure.ts";
import { probe, testWithFfmpeg } from "./testing/media-files.ts";
import { openapiSchemas } from "./testing/openapi-schemas.ts";
import { lookAt, pngUrl } from "./testing/pictures.ts";
import { clockedSandbox, type ClockedSandbox } from "./testing/tasks.ts";

const PATH = "/openai/v1/videos";

/** The vendor's own client. */
function clientOf({ sandbox }: ClockedSandbox, apiKey = "sk-test"): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
}

function order(simulator: ClockedSandbox, body: JsonObject) {
  return simulator.call("POST", PATH, { prompt: "a cat", ...body });
}

function png(size: string): Uint8Array {
  const [width = 1, height = 1] = size.split("x").map(Number);
  return Buffer.from(pngUrl(width, height).split(",")[1] ?? "", "base64");
}

function filming(body: Record<string, string | Uint8Array>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === "string") form.set(name, value);
    else form.set(name, new Blob([new Uint8Array(value)]), "a.bin");
  }
  return form;
}

async function sendForm(simulator: ClockedSandbox, path: string, form: FormData) {
  const response = await fetch(`${simulator.sandbox.url}${PATH}${path}`, {
    method: "POST",
    headers: { authorization: "Bearer sk-test" },
    body: form,
  });
  return { status: response.status, body: asObject(JSON.parse(await response.text())) };
}

describe("a video", () => {
  test("is queued, in progress and completed, with its progress in tens", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const created = await videos.create({ prompt: "a cat", seconds: "8", size: "1280x720" });
    const seen = [];
    for (const ms of [0, 300, 500, 499]) {
      simulator.wait(ms);
      const { status, progress } = await videos.retrieve(created.id);
      seen.push(`${status} ${progress}`);
    }
    simulator.wait(1);

    expect(created.id).toMatch(/^video_[\da-f]{48}$/);
    expect(seen).toEqual(["queued 0", "in_progress 10", "in_progress 50", "in_progress 90"]);
    expect(await videos.retrieve(created.id)).toEqual({
      id: created.id,
      object: "video",
      model: "sora-2",
      status: "completed",
      progress: 100,
      created_at: 1_767_268_800,
      completed_at: 1_767_268_801,
      expires_at: 1_767_272_401,
      prompt: "a cat",
      size: "1280x720",
      seconds: "8",
      remixed_from_video_id: null,
      error: null,
    });
  });

  test.each([
    ["[moderate]", "moderation_blocked"],
    ["[moderation_blocked]", "moderation_blocked"],
    ["[fail]", "server_error"],
    ["[expire]", "server_error"],
  ])("with %s fails with a reason", async (mark, code) => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const { id } = await videos.create({ prompt: `a cat ${mark}` });
    simulator.wait(1_300);

    expect(await videos.retrieve(id)).toMatchObject({
      status: "failed",
      completed_at: null,
      expires_at: null,
      error: { code },
    });
    expect(await failure(videos.downloadContent(id))).toHaveProperty(
      "message",
      expect.stringContaining("its status is failed"),
    );
  });

  test("is made by the vendor's client with a first frame of the same size", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const input_reference = await toFile(png("720x1280"), "a.png");

    expect(await videos.create({ prompt: "a cat", input_reference })).toMatchObject({
      status: "queued",
      size: "720x1280",
      seconds: "4",
    });
    expect(
      await videos.create({
        prompt: "a cat",
        input_reference: { image_url: "https://a.example/a.png" },
      }),
    ).toMatchObject({ status: "queued" });
  });

  test("exists although its response was lost", async () => {
    await using simulator = await clockedSandbox({ tasks: { parallel: 1 } });
    const { videos } = clientOf(simulator);

    expect(await failure(videos.create({ prompt: "[timeout]" }))).toMatchObject({ status: 504 });
    expect(await failure(videos.create({ prompt: "a cat" }))).toBeInstanceOf(RateLimitError);
    expect((await videos.list()).data).toHaveLength(1);
  });
});

describe("the content", () => {
  testWithFfmpeg("is a video as requested, with sound", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const { id } = await videos.create({ prompt: "a cat", model: "sora-2-pro", size: "1024x1792" });
    simulator.wait(1_300);
    const file = await (await videos.downloadContent(id)).bytes();

    expect(await probe(file, "codec_name,width,height,nb_frames")).toStartWith("h264|1024|1792|96");
  });

  test("has an image, too, and a sprite sheet", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const { id } = await videos.create({ prompt: "a cat" });
    simulator.wait(1_300);
    const seen = async (variant: "thumbnail" | "spritesheet") => {
      const response = await videos.downloadContent(id, { variant });
      return `${response.headers.get("content-type")} ${await lookAt(await response.bytes())}`;
    };

    expect(await seen("thumbnail")).toBe("image/webp webp 720x1280");
    expect(await seen("spritesheet")).toBe("image/jpeg jpeg 720x1280");
  });

  test("is served in ranges, with the key, for an hour", async () => {
    await using simulator = await clockedSandbox();
    const { id } = await clientOf(simulator).videos.create({ prompt: "a cat" });
    const get = (key = "sk-test", query = "") =>
      fetch(`${simulator.sandbox.url}${PATH}/${id}/content${query}`, {
        headers: { authorization: `Bearer ${key}`, range: "bytes=4-7" },
      });
    const early = await get();
    simulator.wait(1_300);
    const part = await get();
    const foreign = await get("sk-other");
    const odd = await get("sk-test", "?variant=gif");
    simulator.wait(3_600_000);
    const late = await get();

    expect([early, foreign, odd, late].map(({ status }) => status)).toEqual([404, 404, 400, 404]);
    expect([part.status, part.headers.get("content-type"), await part.text()]).toEqual([
      206,
      "video/mp4",
      "ftyp",
    ]);
    expect((await fetch(`${simulator.sandbox.url}${PATH}/${id}/content`)).status).toBe(401);
  });
});

describe("a derived video", () => {
  test("a remix has another prompt", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const source = await videos.create({ prompt: "a cat", seconds: "12", size: "1280x720" });
    expect(await failure(videos.remix(source.id, { prompt: "a dog" }))).toMatchObject({
      status: 400,
    });
    simulator.wait(1_300);

    expect(await videos.remix(source.id, { prompt: "a dog" })).toMatchObject({
      status: "queued",
      prompt: "a dog",
      seconds: "12",
      size: "1280x720",
      remixed_from_video_id: source.id,
    });
    expect(
      await failure(clientOf(simulator, "sk-b").videos.remix(source.id, { prompt: "x" })),
    ).toBeInstanceOf(NotFoundError);
  });

  test("an edit has its source's length, and an extension is longer", async () => {
    await using simulator = await clockedSandbox();
    const { videos } = clientOf(simulator);
    const { id } = await videos.create({ prompt: "a cat", size: "1280x720" });
    simulator.wait(1_300);
    const clip = await (await videos.downloadContent(id)).bytes();
    const uploaded = await toFile(clip, "a.mp4");

    expect(await videos.edit({ video: { id }, prompt: "red" })).toMatchObject({ seconds: "4" });
    expect(await videos.edit({ video: uploaded, prompt: "red" })).toMatchObject({ prompt: "red" });
    expect(await videos.extend({ video: { id }, prompt: "on", seconds: "8" })).toMatchObject({
      seconds: "12",
      size: "1280x720",
      remixed_from_video_id: null,
    });
    const character = await videos.createCharacter({ name: "Tom", video: uploaded });
    expect(await videos.getCharacter(character.id ?? "")).toEqual(character);
    expect(
      await failure(videos.createCharacter({ name: "Tom", video: await toFile(png("8x8")) })),
    ).toHaveProperty("message", expect.stringContaining("expected a video in MP4"));
  });
});

test("videos are listed page by page, the newest first, and can be deleted when they are done", async () => {
  await using simulator = await clockedSandbox();
  const { videos } = clientOf(simulator);
  const ids: string[] = [];
  for (const prompt of ["1", "2", "3"]) ids.push((await videos.create({ prompt })).id);
  expect(await failure(videos.delete(ids[0] ?? ""))).toMatchObject({ status: 400 });
  simulator.wait(1_300);
  const first = await videos.list({ limit: 2 });
  const listed: string[] = [];
  for await (const { id } of videos.list({ limit: 2, order: "asc" })) listed.push(id);
  const gone = await videos.delete(ids[0] ?? "");

  expect(first.data.map(({ prompt }) => prompt)).toEqual(["3", "2"]);
  expect(asObject((await simulator.call("GET", `${PATH}?limit=2`)).body)).toMatchObject({
    object: "list",
    first_id: ids[2],
    last_id: ids[1],
    has_more: false,
  });
  expect(listed).toEqual(ids);
  expect(gone).toEqual({ id: ids[0] ?? "", object: "video.deleted", deleted: true });
  expect(await failure(videos.retrieve(ids[0] ?? ""))).toBeInstanceOf(NotFoundError);
  expect((await clientOf(simulator, "sk-other").videos.list()).data).toEqual([]);
});

describe("refused with the vendor's message", () => {
  const image = (url: string): JsonObject => ({ input_reference: { image_url: url } });
  const refused: [string, JsonObject, string][] = [
    ["no words", { prompt: null }, "400 prompt missing_required_parameter"],
    ["empty words", { prompt: "" }, "400 prompt string_below_min_length"],
    [
      "a prompt that is too long",
      { prompt: "x".repeat(32_001) },
      "400 prompt string_above_max_length",
    ],
    ["another model", { model: "sora-1" }, "400 model invalid_value"],
    ["seconds as a number", { seconds: 4 }, "400 seconds invalid_type"],
    ["five seconds", { seconds: "5" }, "400 seconds invalid_value"],
    ["another size", { size: "640x480" }, "400 size invalid_value"],
    ["a large size of the small model", { size: "1792x1024" }, "400 size invalid_value"],
    ["an unknown field", { n: 2 }, "400 n unknown_parameter"],
    [
      "a reference as a text",
      { input_reference: "https://a.example" },
      "400 input_reference invalid_type",
    ],
    [
      "two references",
      { input_reference: { image_url: "https://a.example", file_id: "f" } },
      "400 input_reference invalid_value",
    ],
    ["no reference in it", { input_reference: {} }, "400 input_reference invalid_value"],
    ["a file that is not there", { input_reference: { file_id: "f" } }, "404 id "],
    ["an image of another size", image(pngUrl(72, 128)), "400 input_reference invalid_value"],
    [
      "no picture",
      image("data:image/png;base64,AAAA"),
      "400 input_reference unsupported_file_type",
    ],
    ["no link", image("a.png"), "400 input_reference.image_url invalid_value"],
    ["too much", { prompt: "[rate_limit_exceeded]" }, "429  rate_limit_exceeded"],
    ["no money", { prompt: "[insufficient_quota]" }, "429  insufficient_quota"],
  ];
  test.each(refused)("%s", async (_what, body, expected) => {
    await using simulator = await clockedSandbox();
    const { status, body: answer } = await order(simulator, body);
    const error = asObject(at(answer, "error"));

    expect(`${status} ${textAt(error, "param")} ${textAt(error, "code")}`).toBe(expected);
    expect(Object.keys(error)).toEqual(["message", "type", "param", "code"]);
  });

  test("in a form as well", async () => {
    await using simulator = await clockedSandbox();
    const prompt = "a cat";
    const codeOf = async (path: string, body: Record<string, string | Uint8Array>) => {
      const answer = await sendForm(simulator, path, filming(body));
      return `${answer.status} ${textAt(answer.body, "error", "code")}`;
    };

    expect(await codeOf("", { prompt, seconds: "5" })).toBe("400 invalid_value");
    expect(await codeOf("", { prompt, input_reference: png("8x8") })).toBe("400 invalid_value");
    expect(await codeOf("", { prompt, input_reference: "a.png" })).toBe("400 invalid_type");
    expect(await codeOf("", { prompt, image: png("8x8") })).toBe("400 unknown_parameter");
    expect(await codeOf("/edits", { prompt, "video[id]": "video_1" })).toBe("404 video_not_found");
    expect(await codeOf("/edits", { prompt })).toBe("400 missing_required_parameter");
    expect((await sendForm(simulator, "", filming({ prompt, seconds: "4" }))).status).toBe(200);
  });

  test("faults that the prompt orders, in a form too", async () => {
    await using simulator = await clockedSandbox();
    const form = filming({ prompt: "[[fault:status code=500]]" });

    expect((await sendForm(simulator, "", form)).status).toBe(500);
    expect((await order(simulator, { prompt: "[[fault:status code=429]]" })).status).toBe(429);
  });
});

withShared("schemas", () => {
  const schema = openapiSchemas(`${SHARED}/schemas/openai.openapi.yaml`);

  test("responses conform to the vendor's own description", async () => {
    await using simulator = await clockedSandbox();
    const created = (await order(simulator, {})).body;
    await order(simulator, { prompt: "[fail]" });
    simulator.wait(1_300);
    const path = `${PATH}/${textAt(created, "id")}`;
    const fits = (name: string, answer: Json | undefined) =>
      schema(name).safeParse(answer).error ?? "fits";

    expect(fits("VideoResource", created)).toBe("fits");
    expect(fits("VideoResource", (await simulator.call("GET", path)).body)).toBe("fits");
    expect(fits("VideoListResource", (await simulator.call("GET", PATH)).body)).toBe("fits");
    expect(fits("DeletedVideoResource", (await simulator.call("DELETE", path)).body)).toBe("fits");
  });
});
