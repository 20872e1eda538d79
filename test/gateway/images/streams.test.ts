import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { textOf } from "#lib/values.ts";
import { openBooks } from "#test/books.ts";
import { KEY } from "#test/harness.ts";
import { BASE64, type Seen } from "#test/picture-vendor.ts";
import { openPlace } from "./picture-place.ts";

const asked = { model: "gpt-image-1", prompt: "a fox", stream: true };
const ABOUT = { size: "1024x1024", quality: "high", background: "opaque", output_format: "png" };
const USAGE = {
  total_tokens: 50,
  input_tokens: 10,
  output_tokens: 40,
  input_tokens_details: { text_tokens: 10, image_tokens: 0 },
};

const event = (type: string, more: JsonObject): JsonObject => ({
  type,
  b64_json: BASE64,
  created_at: 1_620_000_000,
  ...ABOUT,
  ...more,
});
const partial = (index: number, name = "image_generation"): JsonObject =>
  event(`${name}.partial_image`, { partial_image_index: index });
const completed = (name = "image_generation"): JsonObject =>
  event(`${name}.completed`, { usage: USAGE });

/** What `USAGE` comes to. */
const COST = 10 * 10_000 + 40 * 40_000;

function sse(events: readonly JsonObject[]): Response {
  const text = events.map(
    (each) => `event: ${textOf(each["type"])}\ndata: ${JSON.stringify(each)}\n\n`,
  );
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

async function eventsOf(answer: Response): Promise<JsonObject[]> {
  return readEvents(await answer.text()).map(({ event: name, data }) => {
    const json = JSON.parse(data) as JsonObject;
    expect(name ?? "").toBe(textOf(json["type"]) ?? "");
    return json;
  });
}

describe("a streamed image", () => {
  test.each(["/v1/images/generations", "/openai/v1/images/generations"])(
    "is shown at %s in partial images, and charged by its usage",
    async (path) => {
      await using place = await openPlace(() => sse([partial(0), partial(1), completed()]));
      using books = openBooks(place.gateway.dataDir);

      const answer = await place.gateway.post(path, { ...asked, partial_images: 2 });

      expect(answer.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      expect(await eventsOf(answer)).toEqual([
        partial(0),
        partial(1),
        {
          ...completed(),
          usage: expect.objectContaining({ input_tokens: 10, output_tokens: 40, total_tokens: 50 }),
        },
      ]);
      expect(place.vendor.last.body).toMatchObject({ stream: true, partial_images: 2 });
      expect(await books.whenSettled()).toEqual([]);
      expect(books.spent()).toBe(10 * 10_000 + 40 * 40_000);
    },
  );

  test("that is an edit has events of its own", async () => {
    await using place = await openPlace(() =>
      sse([partial(0, "image_edit"), completed("image_edit")]),
    );

    const answer = await place.gateway.post("/v1/images/edits", { ...asked, image: BASE64 });

    expect((await eventsOf(answer)).map(({ type }) => type)).toEqual([
      "image_edit.partial_image",
      "image_edit.completed",
    ]);
    expect(place.vendor.last.body["stream"]).toBe("true");
  });

  test("among several is counted, and the usage is in the last event", async () => {
    await using place = await openPlace(() => sse([completed(), completed()]));
    using books = openBooks(place.gateway.dataDir);

    const answer = await place.gateway.post("/v1/images/generations", { ...asked, n: 2 });

    const events = await eventsOf(answer);
    expect(events.map(({ usage }) => usage)).toMatchObject([
      { total_tokens: 0 },
      { total_tokens: 100 },
    ]);
    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(2 * (10 * 10_000 + 40 * 40_000));
  });
});

/** Says so much, and then nothing for as long as somebody listens. */
function endless(events: readonly JsonObject[]): Response {
  const { body, headers } = sse(events);
  const silence = new ReadableStream<Uint8Array>({
    async start(controller) {
      for await (const chunk of body ?? []) controller.enqueue(chunk);
    },
  });
  return new Response(silence, { headers });
}

async function readUntil(answer: Response, events: number): Promise<void> {
  let seen = "";
  for await (const chunk of answer.body ?? []) {
    seen += Buffer.from(chunk).toString();
    if (readEvents(seen).length >= events) return;
  }
}

describe("a client that disconnects", () => {
  /** Of a prompt as short as this one. */
  const INPUT = 2 * 10_000;

  test.each<[string, readonly JsonObject[], number]>([
    ["with a partial image costs the minimum of its quality", [partial(0)], INPUT + 272 * 40_000],
    ["with several partial images costs it once", [partial(0), partial(1)], INPUT + 272 * 40_000],
    ["with an image costs the vendor's count for it", [partial(0), completed()], COST],
    [
      "with an image and a partial one of the next costs both",
      [completed(), partial(0)],
      COST + 272 * 40_000,
    ],
  ])("%s", async (_, events, cost) => {
    await using place = await openPlace(() => endless(events));
    using books = openBooks(place.gateway.dataDir);
    const leaving = new AbortController();
    const body = { ...asked, quality: "low", n: 2, partial_images: 2 };

    const answer = await fetch(`${place.gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    await readUntil(answer, events.length);
    leaving.abort();

    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(cost);
  });
});

const whole = ({ body }: Seen): Response =>
  Response.json({
    created: 1,
    data: Array.from({ length: Number(body["n"] ?? 1) }, () => ({ b64_json: BASE64 })),
    ...ABOUT,
    usage: USAGE,
  });

describe("a client that requests a stream of a vendor without streams", () => {
  test.each([
    ["gpt-image-1", 1, true],
    ["dall-e-2", 2, undefined],
    ["dall-e-3", 2, undefined],
  ])("gets the images of %s all at once, as events", async (model, n, stream) => {
    await using place = await openPlace(whole);

    const answer = await place.gateway.post("/v1/images/generations", { ...asked, model, n });

    const events = await eventsOf(answer);
    expect(events.map(({ type }) => type)).toEqual(Array(n).fill("image_generation.completed"));
    expect(events[0]).toMatchObject({ b64_json: BASE64, ...ABOUT, created_at: expect.any(Number) });
    expect(place.vendor.seen.map(({ body }) => body["stream"])).toEqual(
      Array(model === "dall-e-3" ? n : 1).fill(stream),
    );
  });
});

describe("a stream that fails", () => {
  const failed = {
    type: "error",
    error: { type: "server_error", code: "internal_error", message: "Out of paint.", param: null },
  };

  test("before its first image is an ordinary error, without cost", async () => {
    await using place = await openPlace(() => sse([failed]));
    using books = openBooks(place.gateway.dataDir);

    const answer = await place.gateway.post("/v1/images/generations", asked);

    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({ code: 502, msg: "Out of paint.", data: null });
    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(0);
  });

  test("after one of its images is charged by the vendor's count for that one", async () => {
    await using place = await openPlace(() => sse([completed(), failed]));
    using books = openBooks(place.gateway.dataDir);

    const answer = await place.gateway.post("/v1/images/generations", { ...asked, n: 2 });

    expect((await eventsOf(answer)).map(({ type }) => type)).toEqual([
      "image_generation.completed",
      "error",
    ]);
    expect(await books.whenSettled()).toEqual([]);
    expect(books.spent()).toBe(COST);
  });

  test.each<[string, readonly JsonObject[]]>([
    ["with text", [partial(0), failed]],
    ["without one", [partial(0)]],
  ])("later %s ends with an error event", async (_, events) => {
    await using place = await openPlace(() => sse(events));
    using books = openBooks(place.gateway.dataDir);

    const answer = await place.gateway.post("/v1/images/generations", {
      ...asked,
      partial_images: 1,
    });

    const told = await eventsOf(answer);
    expect(told.map(({ type }) => type)).toEqual(["image_generation.partial_image", "error"]);
    expect(told.at(-1)).toMatchObject({ error: { type: "server_error" } });
    expect(await books.whenSettled()).toEqual([]);
  });
});
