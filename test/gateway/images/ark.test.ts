import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { json, stream, type Seen } from "#test/adapter/vendor.ts";
import { KEY } from "#test/harness.ts";
import { BASE64, DATA_URI, GIF, openPlace, PNG, type Place } from "#test/linking-vendor.ts";

const V3 = "doubao-seedream-3-0-t2i-250415";
const EDIT = "doubao-seededit-3-0-i2i-250628";
const V4 = "doubao-seedream-4-0-250828";
const V4_5 = "doubao-seedream-4-5-251128";
const PATH = "/v1/images/generations";
const LINK = "https://pictures.example/fox.png";

/** Of one picture, and what that is in nano-dollars. */
const TOKENS = 16_384;
const COST = TOKENS * 30_000;
const CREATED = 1_754_000_000;
const BLOCKED = {
  error: { code: "OutputImageSensitiveContentDetected", message: "It may be sensitive." },
};

let place: Place;
beforeAll(async () => {
  place = await openPlace("ark", "/api/v3", [V3, EDIT, V4, V4_5]);
});
afterAll(() => place[Symbol.asyncDispose]());
beforeEach(() => {
  place.vendor.seen.length = 0;
  place.respond = () => drawn({ url: place.links.own, size: "2048x2048" });
});

const usageOf = (count: number) => ({
  generated_images: count,
  output_tokens: count * TOKENS,
  total_tokens: count * TOKENS,
});

function drawn(...data: readonly JsonObject[]): Response {
  const made = data.filter((each) => !("error" in each)).length;
  return json({ model: V4, created: CREATED, data, usage: usageOf(made) });
}

const ask = (body: JsonObject, headers: Readonly<Record<string, string>> = {}) =>
  place.gateway.post(PATH, { model: V4, prompt: "A paper fox", ...body }, headers);

interface Envelope {
  readonly code: number;
  readonly data: { readonly data: readonly JsonObject[]; readonly created: number };
  readonly error: JsonObject;
}

async function answerTo(body: JsonObject, headers?: Readonly<Record<string, string>>) {
  const response = await ask(body, headers);
  const answer = (await response.json()) as Envelope;
  return { status: response.status, lossy: response.headers.get("sluice-lossy"), answer };
}

async function lastCost(): Promise<unknown> {
  expect(await place.books.whenSettled()).toEqual([]);
  return place.books.calls().at(-1)?.["cost"];
}

/** What it was asked for, without what it was asked to link to. */
const asked = (): readonly Seen[] => place.vendor.seen.filter(({ method }) => method === "POST");

describe("[A2.9] [A4.11-c] an image", () => {
  test("is a link, in the envelope, and is charged", async () => {
    const { status, answer } = await answerTo({ size: "2048x2048" });

    expect(status).toBe(200);
    expect(answer as unknown).toEqual({
      code: 200,
      msg: "Operation successful",
      data: {
        data: [{ url: place.links.own, b64_json: "", revised_prompt: "" }],
        created: CREATED,
      },
    });
    expect(asked().map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: "/api/v3/images/generations",
        body: { model: V4, prompt: "A paper fox", size: "2048x2048", watermark: false },
      },
    ]);
    expect(place.vendor.last.headers.get("authorization")).toBe("Bearer upstream-secret");
    expect(await lastCost()).toBe(COST);
  });

  test("[A4.11-a] is base64 if the vendor returns base64", async () => {
    place.respond = () => drawn({ b64_json: BASE64, size: "2048x2048" });

    const { answer } = await answerTo({ response_format: "b64_json" });

    expect(asked()[0]?.body["response_format"]).toBe("b64_json");
    expect(answer.data.data).toEqual([{ url: "", b64_json: BASE64, revised_prompt: "" }]);
  });

  test.each(["own", "other"] as const)(
    "[A4.11-a] is downloaded if the vendor returns a link instead of base64 (%s)",
    async (whose) => {
      place.respond = () => drawn({ url: place.links[whose] });

      const { answer, lossy } = await answerTo({ response_format: "b64_json" });

      expect(answer.data.data).toEqual([{ url: "", b64_json: BASE64, revised_prompt: "" }]);
      expect(lossy).toBeNull();
    },
  );

  test("at a blocked address is returned as its link, with a report", async () => {
    place.respond = () => drawn({ url: place.links.closed });

    const { answer, lossy } = await answerTo({ response_format: "b64_json" });
    const strict = await answerTo({ response_format: "b64_json" }, { "sluice-strict": "true" });

    expect(answer.data.data).toEqual([
      { url: place.links.closed, b64_json: "", revised_prompt: "" },
    ]);
    expect(lossy).toBe("response_format");
    expect([strict.status, strict.answer.error["code"]]).toEqual([400, "unsupported_parameter"]);
    expect(await lastCost()).toBe(0);
  });

  test("is requested as often as images are requested, and each is charged", async () => {
    const { answer } = await answerTo({ n: 3 });

    expect(answer.data.data).toHaveLength(3);
    expect(asked()).toHaveLength(3);
    expect(await lastCost()).toBe(3 * COST);
  });

  test("of a set is charged like the others", async () => {
    place.respond = () => drawn({ url: LINK }, { url: LINK }, { url: LINK });

    const { answer } = await answerTo({ sequential_image_generation: "auto" });

    expect(answer.data.data).toHaveLength(3);
    expect(asked()[0]?.body).toMatchObject({
      sequential_image_generation: "auto",
      sequential_image_generation_options: { max_images: 4 },
    });
    expect(await lastCost()).toBe(3 * COST);
  });

  test("that fails is left out and not charged if others succeeded", async () => {
    place.respond = () => drawn({ url: LINK }, BLOCKED);

    const { status, answer } = await answerTo({ sequential_image_generation: "auto" });

    expect([status, answer.data.data.length]).toEqual([200, 1]);
    expect(await lastCost()).toBe(COST);
  });

  test("that cannot be requested does not lose the others", async () => {
    let count = 0;
    place.respond = () =>
      count++ === 1
        ? json({ error: { code: "InternalServiceError", message: "Sorry." } }, 500)
        : drawn({ url: LINK });

    const { status, answer } = await answerTo({ n: 3 });

    expect([status, answer.data.data.length]).toEqual([200, 2]);
    expect(await lastCost()).toBe(2 * COST);
  });

  test("reaches an official client in its own format", async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${place.gateway.url}/v1`, maxRetries: 0 });

    const { data = [], created } = await client.images.generate({ model: V4, prompt: "A fox" });

    expect([created, data.map(({ url }) => url)]).toEqual([CREATED, [place.links.own]]);
  });
});

describe("[A4.11-c] an input image", () => {
  test("is sent as a link, which the vendor follows", async () => {
    await ask({ image: [LINK, place.links.closed] });

    expect(asked()[0]?.body["image"]).toEqual([LINK, place.links.closed]);
  });

  test.each([
    ["a data URI", DATA_URI],
    ["base64", BASE64],
    ["a data URI with another type", `data:image/webp;base64,${BASE64}`],
  ])("is sent as data if it is %s", async (_what, image) => {
    await ask({ model: EDIT, image });

    expect(asked()[0]?.body).toEqual({
      model: EDIT,
      prompt: "A paper fox",
      image: DATA_URI,
      watermark: false,
    });
  });

  test("is sent as PNG if the version does not support its format", async () => {
    const image = `data:image/gif;base64,${GIF.toString("base64")}`;

    await ask({ model: EDIT, image });
    await ask({ model: V4, image });

    const [converted, kept] = asked().map(({ body }) => textOf(body["image"]));
    expect(converted).toStartWith("data:image/png;base64,iVBOR");
    expect(kept).toBe(image);
  });

  test("may be a file that only the vendor can read", async () => {
    // Two by two pixels in grey: a directory of their width and height alone.
    const image = "data:image/tiff;base64,SUkqAAgAAAACAAABAwABAAAAAgAAAAEBAwABAAAAAgAAAAAAAAA=";

    await ask({ model: V4, image });
    const { status, answer } = await answerTo({ model: EDIT, image });

    expect(asked().map(({ body }) => body["image"])).toEqual([image]);
    expect([status, answer.error["message"]]).toEqual([
      400,
      "'image' is image/tiff; this model accepts image/jpeg, image/png.",
    ]);
  });

  test("may be a file of a form", async () => {
    const form = new FormData();
    form.append("model", EDIT);
    form.append("prompt", "Make it red");
    form.append("image", new Blob([PNG], { type: "image/png" }), "fox.png");
    const response = await fetch(`${place.gateway.url}/v1/images/edits`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
    });

    expect(((await response.json()) as JsonObject)["data"]).toEqual([{ url: place.links.own }]);
    expect(asked()[0]?.body).toEqual({
      model: EDIT,
      prompt: "Make it red",
      image: DATA_URI,
      watermark: false,
    });
  });

  test("that is no image is refused", async () => {
    const { status, answer } = await answerTo({ image: "bm90IGEgcGljdHVyZQ==" });

    expect([status, answer.error["param"]]).toEqual([400, "image"]);
    expect(asked()).toEqual([]);
  });
});

describe("an option that the version does not support", () => {
  test("is refused by the client's field name, without cost", async () => {
    const { status, answer } = await answerTo({ model: V4_5, size: "1024x1024" });

    expect(status).toBe(400);
    expect(answer).toMatchObject({
      code: 400,
      msg: expect.stringContaining("'size' must be one of 2K, 4K, 2048x2048"),
      data: null,
      error: { type: "invalid_request_error", param: "size" },
    });
    expect(asked()).toEqual([]);
    expect(await lastCost()).toBe(0);
  });

  test("that only tunes is left out with a report, and refused for strict clients", async () => {
    const lax = await answerTo({ seed: 5, quality: "hd" });
    const strict = await answerTo({ seed: 5 }, { "sluice-strict": "true" });

    expect([lax.status, lax.lossy]).toEqual([200, "quality, seed"]);
    expect([strict.status, strict.answer.error["param"]]).toEqual([400, "seed"]);
    expect(asked()).toHaveLength(1);
  });
});

describe("an error of the vendor", () => {
  test.each<[string, number, JsonObject, number, string]>([
    [
      "a prompt with blocked content",
      400,
      { code: "InputTextSensitiveContentDetected", message: "It may be sensitive." },
      400,
      "content_policy_violation",
    ],
    [
      "a wrong field",
      400,
      { code: "InvalidParameter", message: "Too large.", param: "size", type: "BadRequest" },
      400,
      "InvalidParameter",
    ],
    [
      "our own account",
      403,
      { code: "AccountOverdueError", message: "Pay up." },
      502,
      "upstream_unavailable",
    ],
    [
      "a model that the account has not",
      404,
      { code: "ModelNotOpen", message: "Not open." },
      502,
      "upstream_unavailable",
    ],
    ["its rate", 429, { code: "QuotaExceeded", message: "Slow." }, 429, "rate_limit_exceeded"],
    ["its load", 429, { code: "ServerOverloaded", message: "Busy." }, 503, "overloaded"],
    ["itself", 500, { code: "InternalServiceError", message: "Sorry." }, 502, "upstream_error"],
  ])(
    "about %s is reported in the envelope, and costs nothing",
    async (_what, status, error, code, word) => {
      // Each of them would put the only credential to rest.
      await using own = await openPlace("ark", "/api/v3", [V4]);
      own.respond = () => json({ error }, status);

      const response = await own.gateway.post(PATH, { model: V4, prompt: "A fox" });

      expect([response.status, await response.json()]).toMatchObject([
        code,
        { code, data: null, error: { code: word } },
      ]);
      expect(await own.books.whenSettled()).toEqual([]);
      expect(own.books.spent()).toBe(0);
    },
  );

  test("for every image is an error of the whole request", async () => {
    place.respond = () => drawn(BLOCKED, BLOCKED);

    const { status, answer } = await answerTo({ sequential_image_generation: "auto" });

    expect([status, answer.error["code"]]).toEqual([400, "content_policy_violation"]);
    expect(await lastCost()).toBe(0);
  });
});

const SUCCEEDED = "image_generation.partial_succeeded";
const event = (type: string, members: JsonObject): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, model: V4, created: CREATED, ...members })}\n\n`;
const SET = [
  event(SUCCEEDED, { image_index: 0, url: LINK, size: "2048x2048" }),
  event("image_generation.partial_failed", { image_index: 1, ...BLOCKED }),
  event(SUCCEEDED, { image_index: 2, url: LINK, size: "2048x2048" }),
];
const END = [event("image_generation.completed", { usage: usageOf(2) }), "data: [DONE]\n\n"];

async function eventsOf(response: Response): Promise<readonly JsonObject[]> {
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  return lines.map((line) => JSON.parse(line.slice("data: ".length)) as JsonObject);
}

describe("a stream", () => {
  const streamed = { stream: true, sequential_image_generation: "auto" };

  test("delivers each image of a set, and charges the completed ones", async () => {
    place.respond = () => stream([...SET, ...END]);

    const response = await ask(streamed);
    const events = await eventsOf(response);

    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    expect(asked()[0]?.body["stream"]).toBe(true);
    expect(events.map(({ type, url }) => [type, url])).toEqual([
      ["image_generation.failed", undefined],
      ["image_generation.completed", LINK],
      ["image_generation.completed", LINK],
    ]);
    expect(events.at(-1)?.["usage"]).toMatchObject({ output_tokens: 2 * TOKENS });
    expect(await lastCost()).toBe(2 * COST);
    // Known at the end alone, which is too late for a header as a rule.
    expect(place.books.calls().at(-1)?.["lost"]).toBe('["n"]');
  });

  test("of a version without streams has the complete response at once", async () => {
    const events = await eventsOf(
      await ask({ model: V3, stream: true, response_format: "b64_json" }),
    );

    expect("stream" in (asked()[0]?.body ?? {})).toBe(false);
    expect(events).toMatchObject([{ type: "image_generation.completed", b64_json: BASE64 }]);
    expect(await lastCost()).toBe(COST);
  });

  test("of several requests has their responses at once", async () => {
    const events = await eventsOf(await ask({ stream: true, n: 2 }));

    expect(asked().map(({ body }) => "stream" in body)).toEqual([false, false]);
    expect(events).toHaveLength(2);
    expect(await lastCost()).toBe(2 * COST);
  });

  test("that is refused is refused in the envelope", async () => {
    place.respond = () => json({ error: { code: "InvalidParameter", message: "No." } }, 400);

    const response = await ask(streamed);

    expect([response.status, await response.json()]).toMatchObject([400, { code: 400 }]);
  });

  test("that breaks off ends with an error, never with a normal end", async () => {
    place.respond = () => stream(SET);

    const events = await eventsOf(await ask(streamed));

    expect(events.at(-1)).toMatchObject({ type: "error", error: { code: "upstream_error" } });
  });
});
