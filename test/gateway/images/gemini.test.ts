import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import type { JsonObject } from "#lib/json.ts";
import { json, openVendor, type Respond, type Seen, type Vendor } from "#test/adapter/vendor.ts";
import { openBooks, type Books } from "#test/books.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

/** Two by two pixels, in the formats that come and go. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=",
  "base64",
);
const GIF = Buffer.from("R0lGODlhAQABAIAAAP8AAP8AACwAAAAAAQABAAACAkQBADs=", "base64");
const JPEG = Buffer.from(await new Bun.Image(PNG).jpeg().bytes());
const DATA_URI = `data:image/png;base64,${PNG.toString("base64")}`;

const SMALL = "gemini-2.5-flash-image";
const LARGE = "gemini-3-pro-image";
const FLASH = "gemini-3.1-flash-image";
const ON_VERTEX = "drawn-on-vertex";
const IMAGEN = "imagen-4.0-generate-001";
const IMAGEN_ON_VERTEX = "imagen-on-vertex";
const PATH = "/v1/images/generations";

/** What a vendor counts for a picture, and what that costs in nano-dollars. */
const USAGE = { promptTokenCount: 10, candidatesTokenCount: 1_290, totalTokenCount: 1_300 };
const COST = 10 * 1_000 + 1_290 * 30_000;

function drawn(bytes = PNG, mimeType = "image/png"): Response {
  const parts = [{ inlineData: { mimeType, data: bytes.toString("base64") } }];
  return json({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: USAGE,
  });
}

function refused(code: number, status: string, message: string): Response {
  return json({ error: { code, message, status } }, code);
}

let respond: Respond;
let vendor: Vendor;
let pictures: ReturnType<typeof Bun.serve>;
let gateway: TestGateway;
let books: Books;
beforeAll(async () => {
  vendor = openVendor((seen) => respond(seen));
  pictures = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(GIF, { headers: { "content-type": "image/png" } }),
  });
  gateway = await open();
  books = openBooks(gateway.dataDir);
});
beforeEach(() => {
  vendor.seen.length = 0;
  respond = () => drawn();
});
afterAll(async () => {
  books.close();
  await gateway[Symbol.asyncDispose]();
  await pictures.stop(true);
  await vendor[Symbol.asyncDispose]();
});

async function open(): Promise<TestGateway> {
  const priced = [SMALL, LARGE, ON_VERTEX].map((name) => `${name}: { input: 1, output: 30 }`);
  return await openTestGateway({
    yaml: [
      "channels:",
      `  - { name: studio, provider: gemini, base_url: "${vendor.url}", api_key: secret, models: [${SMALL}, ${LARGE}, ${FLASH}, ${IMAGEN}] }`,
      `  - { name: cloud, provider: vertex, base_url: "${vendor.url}", api_key: ya29.token, options: { project: p }, models: [{ name: ${ON_VERTEX}, upstream: ${LARGE} }, { name: ${IMAGEN_ON_VERTEX}, upstream: ${IMAGEN} }] }`,
      `models: { ${priced.join(", ")} }`,
    ].join("\n"),
    env: {
      SLUICE_LINKS_ALLOW: "127.0.0.1",
      SLUICE_LINKS_PORTS: `80,443,${pictures.port}`,
      SLUICE_LIMIT_ATTEMPTS: "1",
    },
  });
}

const ask = (body: JsonObject, headers: Record<string, string> = {}) =>
  gateway.post(PATH, { model: SMALL, prompt: "A fox", ...body }, headers);

interface Envelope {
  code: number;
  msg: string;
  data: { data: { url: string; b64_json: string; revised_prompt: string }[]; created: number };
}
const envelopeOf = async (answer: Response) => (await answer.json()) as Envelope;

/** What was spent while something was done. */
async function spentOn(act: () => Promise<unknown>, of = books): Promise<number> {
  await of.whenSettled();
  const before = of.spent();
  await act();
  expect(await of.whenSettled()).toEqual([]);
  return of.spent() - before;
}

const bodies = (seen: readonly Seen[] = vendor.seen) => seen.map(({ body }) => body);
const CONFIG = { responseModalities: ["IMAGE"], topP: 0.95, maxOutputTokens: 32_768 };

test("[A2.9] [A4.11-a] an image is returned as base64, for any requested format", async () => {
  for (const response_format of [undefined, "url", "b64_json"]) {
    const answer = await ask(response_format === undefined ? {} : { response_format });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
    expect(await envelopeOf(answer)).toEqual({
      code: 200,
      msg: expect.any(String),
      data: {
        data: [{ url: "", b64_json: PNG.toString("base64"), revised_prompt: "" }],
        created: expect.any(Number),
      },
    });
  }
  expect(vendor.last.path).toBe(`/models/${SMALL}:generateContent`);
  expect(vendor.last.headers.get("x-goog-api-key")).toBe("secret");
  expect(vendor.last.body).toEqual({
    contents: [{ role: "user", parts: [{ text: "A fox" }] }],
    generationConfig: CONFIG,
  });
});

test("[A4.11-b] several images are requested one by one, and each is charged", async () => {
  const spent = await spentOn(async () => {
    const answer = await envelopeOf(await ask({ n: 3, aspect_ratio: "16:9" }));
    expect(answer.data.data).toHaveLength(3);
  });

  expect(spent).toBe(3 * COST);
  expect(bodies()).toEqual(
    Array(3).fill({
      contents: [{ role: "user", parts: [{ text: "A fox" }] }],
      generationConfig: { ...CONFIG, imageConfig: { aspectRatio: "16:9" } },
    }),
  );
});

test("[A4.11-b] if some of several images succeed, those are returned and charged", async () => {
  const spent = await spentOn(async () => {
    let asked = 0;
    respond = () => (asked++ === 1 ? refused(500, "INTERNAL", "Oh.") : drawn());
    const answer = await envelopeOf(await ask({ n: 3 }));
    expect(answer.data.data).toHaveLength(2);
  });

  expect(spent).toBe(2 * COST);
});

test("the connection of a refused image is used for the next one", async () => {
  let asked = 0;
  respond = () => (asked++ % 2 === 1 ? refused(500, "INTERNAL", "Oh.") : drawn());
  for (let each = 0; each < 10; each++) expect((await ask({ n: 2 })).status).toBe(200);

  const connections = new Set(vendor.seen.map(({ connection }) => connection));
  expect(vendor.seen.length).toBe(20);
  expect(connections.size).toBeLessThanOrEqual(4);
});

test("[A4.11-b] text beside an image is charged as text, by the published prices", async () => {
  const candidatesTokensDetails = [
    { modality: "TEXT", tokenCount: 90 },
    { modality: "IMAGE", tokenCount: 1_200 },
  ];
  const costOf = (usageMetadata: JsonObject): Promise<number> => {
    const parts = [{ inlineData: { mimeType: "image/png", data: PNG.toString("base64") } }];
    respond = () => json({ candidates: [{ content: { parts } }], usageMetadata });
    return spentOn(() => ask({ model: FLASH, n: 2 }));
  };

  // A million tokens are 0.5 dollars in, 3 of words and 60 of pictures.
  expect(await costOf(USAGE)).toBe(2 * (10 * 500 + 1_290 * 60_000));
  expect(await costOf({ ...USAGE, candidatesTokensDetails })).toBe(
    2 * (10 * 500 + 90 * 3_000 + 1_200 * 60_000),
  );
});

test("[A4.11-b] each generation gets the sizes that it supports", async () => {
  const asked = { size: "1792x1024", quality: "hd" };
  const configOf = async (body: JsonObject) => {
    const answer = await ask(body);
    const { imageConfig } = vendor.last.body["generationConfig"] as JsonObject;
    return [answer.status, imageConfig, answer.headers.get("sluice-lossy")];
  };

  expect(await configOf({ ...asked, model: SMALL })).toEqual([
    200,
    { aspectRatio: "16:9" },
    "quality",
  ]);
  expect(await configOf({ ...asked, model: LARGE })).toEqual([
    200,
    { aspectRatio: "16:9", imageSize: "2K" },
    null,
  ]);
  expect(await configOf({ model: FLASH, image_size: "512", size: "8:1" })).toEqual([
    200,
    { aspectRatio: "8:1", imageSize: "512" },
    null,
  ]);
});

test("[A4.11-b] the other service of the same models also gets the options for people and formats", async () => {
  respond = () => drawn(JPEG, "image/jpeg");
  const answer = await ask({
    model: ON_VERTEX,
    person_generation: "allow_adult",
    mime_type: "image/jpeg",
  });

  expect(answer.headers.get("sluice-lossy")).toBeNull();
  expect((await envelopeOf(answer)).data.data[0]?.b64_json).toBe(JPEG.toString("base64"));
  expect(vendor.last.path).toBe(
    `/v1/projects/p/locations/global/publishers/google/models/${LARGE}:generateContent`,
  );
  expect(vendor.last.body["generationConfig"]).toEqual({
    ...CONFIG,
    imageConfig: {
      imageSize: "1K",
      personGeneration: "ALLOW_ADULT",
      imageOutputOptions: { mimeType: "image/jpeg" },
    },
  });
});

test.each<[string, JsonObject, string]>([
  ["PNG by default", {}, "image/png"],
  ["JPEG", { mime_type: "image/jpeg" }, "image/jpeg"],
  ["WebP", { output_format: "webp" }, "image/webp"],
])(
  "[A4.11-b] an image is returned as %s, from any format of the vendor",
  async (_, requested, type) => {
    for (const [bytes, made] of [
      [PNG, "image/png"],
      [JPEG, "image/jpeg"],
    ] as const) {
      respond = () => drawn(bytes, made);

      const [picture] = (await envelopeOf(await ask(requested))).data.data;
      const { format, width } = await new Bun.Image(
        Buffer.from(picture?.b64_json ?? "", "base64"),
      ).metadata();

      expect([`image/${format}`, width]).toEqual([type, 2]);
    }
  },
);

test("[A4.11-b] the text beside an image is returned with it", async () => {
  const parts = [
    { text: "A fox, as you wished." },
    { inlineData: { mimeType: "image/png", data: PNG.toString("base64") } },
  ];
  respond = () => json({ candidates: [{ content: { parts }, finishReason: "STOP" }] });

  const answer = await envelopeOf(await ask({ response_modalities: "image-text" }));

  expect(answer.data.data[0]?.revised_prompt).toBe("A fox, as you wished.");
});

describe("[A4.11-b] an input image is sent", () => {
  const INLINE = { inlineData: { mimeType: "image/png", data: PNG.toString("base64") } };
  const parts = () => (bodies()[0]?.["contents"] as JsonObject[] | undefined)?.[0]?.["parts"];

  test.each<[string, JsonObject]>([
    ["as a data URI", { image: DATA_URI }],
    ["as bare base64", { image: PNG.toString("base64") }],
    ["in a turn", { contents: [{ role: "user", parts: [{ image: DATA_URI }] }] }],
  ])("%s", async (_, given) => {
    expect((await ask(given)).status).toBe(200);
    expect(parts()).toEqual([INLINE, { text: "A fox" }]);
  });

  test("from a form", async () => {
    const form = new FormData();
    form.set("model", SMALL);
    form.set("prompt", "A fox");
    form.set("image", new Blob([PNG], { type: "application/octet-stream" }), "a.png");

    const answer = await fetch(`${gateway.url}/v1/images/edits`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: form,
    });

    expect(await answer.json()).toMatchObject({ data: [{ b64_json: PNG.toString("base64") }] });
    expect(parts()).toEqual([INLINE, { text: "A fox" }]);
  });

  test("from a link, as PNG if the vendor does not support its format", async () => {
    expect((await ask({ image: `http://127.0.0.1:${pictures.port}/a` })).status).toBe(200);
    expect(parts()).toEqual([
      { inlineData: { mimeType: "image/png", data: expect.stringMatching(/^iVBORw0KGgo/) } },
      { text: "A fox" },
    ]);
  });

  test("but not from a link into a blocked network", async () => {
    const answer = await ask({ image: "http://127.0.0.2/a.png" });

    expect([answer.status, vendor.seen.length]).toEqual([400, 0]);
    expect(await answer.json()).toMatchObject({ code: 400, data: null });
  });

  test("but not more than five, and no mask", async () => {
    const six = await ask({ images: Array<string>(6).fill(DATA_URI) });
    const masked = await gateway.post("/v1/images/edits", {
      model: SMALL,
      prompt: "A fox",
      image: DATA_URI,
      mask: { image_url: DATA_URI },
    });

    expect([six.status, masked.status, vendor.seen.length]).toEqual([400, 400, 0]);
    expect(await six.json()).toMatchObject({ error: { param: "image" } });
    expect(await masked.json()).toMatchObject({ error: { param: "mask" } });
  });
});

test("[A4.11-b] turns keep their roles, but the newest models get all turns as the user's", async () => {
  const contents = [
    { role: "user", parts: [{ text: "A fox" }] },
    { role: "model", parts: [{ image: DATA_URI }] },
    { role: "user", parts: [{ text: "Now in red" }] },
  ];
  const rolesFor = async (model: string) => {
    await ask({ model, prompt: null, contents });
    return (vendor.last.body["contents"] as JsonObject[]).map(({ role }) => role);
  };

  expect(await rolesFor(SMALL)).toEqual(["user", "model", "user"]);
  expect(await rolesFor(LARGE)).toEqual(["user"]);
});

describe("[A4.11-b] a failure of the vendor", () => {
  const filtered = (finishReason: string) => () =>
    json({ candidates: [{ finishReason }], usageMetadata: { promptTokenCount: 9 } });

  test.each<[string, () => Response, number, string]>([
    ["a blocked image", filtered("IMAGE_SAFETY"), 400, "IMAGE_SAFETY"],
    ["an image that could not be made", filtered("NO_IMAGE"), 400, "NO_IMAGE"],
    [
      "a refused prompt",
      () => json({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }),
      400,
      "PROHIBITED_CONTENT",
    ],
    ["a bad request", () => refused(400, "INVALID_ARGUMENT", "Bad ratio."), 400, "Bad ratio."],
    ["no account", () => refused(403, "PERMISSION_DENIED", "Invalid API key."), 502, "account"],
    [
      "a refusal for an unknown reason",
      () => refused(403, "PERMISSION_DENIED", "Who?"),
      403,
      "Who?",
    ],
    ["no such model", () => refused(404, "NOT_FOUND", "What?"), 502, "does not serve"],
    ["too many calls", () => refused(429, "RESOURCE_EXHAUSTED", "Slow down."), 429, "Slow down."],
    ["a failure", () => refused(500, "INTERNAL", "Oh."), 502, "Oh."],
    ["an overload", () => refused(503, "UNAVAILABLE", "Later."), 503, "Later."],
    ["a body that is not JSON", () => new Response("Hello"), 502, "not a JSON object"],
    ["a web page", () => new Response("<html>"), 502, "a web page"],
    ["no picture", () => json({ candidates: [] }), 502, "no image"],
  ])(
    "such as %s is reported in the envelope, and costs nothing",
    async (_, answer, status, said) => {
      respond = answer;
      // Its channel is given a rest after this.
      await using own = await open();
      using ownBooks = openBooks(own.dataDir);

      const spent = await spentOn(async () => {
        const response = await own.post(PATH, { model: SMALL, prompt: "A fox", n: 2 });
        expect(response.status).toBe(status);
        expect(await response.json()).toEqual({
          code: status,
          msg: expect.stringContaining(said),
          data: null,
          error: expect.objectContaining({ message: expect.stringContaining(said) }),
        });
      }, ownBooks);

      expect(spent).toBe(0);
    },
  );
});

test("a strict client is refused if fields would be lost", async () => {
  const requested = { user: "somebody", person_generation: "allow_adult" };

  const lossy = await ask(requested);
  const strict = await ask(requested, { "sluice-strict": "true" });
  const fine = await ask({ size: "16:9" }, { "sluice-strict": "true" });

  expect([lossy.status, lossy.headers.get("sluice-lossy")]).toEqual([
    200,
    "user, person_generation",
  ]);
  expect([strict.status, fine.status]).toEqual([400, 200]);
  expect(await strict.json()).toMatchObject({ msg: expect.stringContaining("'user'") });
});

test("the official client of the other format gets its images, also streamed", async () => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

  const whole = await client.images.generate({ model: SMALL, prompt: "A fox", n: 2 });
  const stream = await client.images.generate({ model: SMALL, prompt: "A fox", stream: true });
  const events = [];
  for await (const event of stream) events.push(event);

  expect(whole.data?.map((each) => each.b64_json)).toEqual(
    Array<string>(2).fill(PNG.toString("base64")),
  );
  expect(whole.usage?.output_tokens).toBe(2 * 1_290);
  expect(events).toMatchObject([
    { type: "image_generation.completed", b64_json: PNG.toString("base64") },
  ]);
});

describe("[A4.11-b] the older prediction models", () => {
  /** 4 cents, in nano-dollars. */
  const PICTURE_COST = 40_000_000;
  const prediction = { mimeType: "image/png", bytesBase64Encoded: PNG.toString("base64") };
  const predicted = ({ body }: Seen) => {
    const { sampleCount } = body["parameters"] as { sampleCount: number };
    return json({ predictions: Array(sampleCount).fill(prediction) });
  };

  test("make up to four images per request, and are called again for more", async () => {
    respond = predicted;

    const spent = await spentOn(async () => {
      const answer = await envelopeOf(await ask({ model: IMAGEN, n: 5, size: "1024x1792" }));
      expect(answer.data.data).toHaveLength(5);
    });

    expect(spent).toBe(5 * PICTURE_COST);
    expect(vendor.last.path).toBe(`/models/${IMAGEN}:predict`);
    expect(bodies().map(({ parameters }) => parameters)).toEqual(
      [4, 1].map((sampleCount) => ({ sampleCount, aspectRatio: "9:16", imageSize: "1K" })),
    );
  });

  test("return the images that were not filtered, and charge those", async () => {
    respond = () => json({ predictions: [prediction, { raiFilteredReason: "No." }] });

    const spent = await spentOn(async () => {
      const answer = await envelopeOf(await ask({ model: IMAGEN, n: 2 }));
      expect(answer.data.data).toHaveLength(1);
    });

    expect(spent).toBe(PICTURE_COST);
  });

  test("report the reason if all were filtered", async () => {
    respond = () => json({ predictions: [{ raiFilteredReason: "Not this one." }] });

    const answer = await ask({ model: IMAGEN });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 400, msg: "Not this one." });
  });

  test.each([IMAGEN, IMAGEN_ON_VERTEX])("only make images (%s)", async (model) => {
    const messages = [{ role: "user", content: "hi" }];

    const answer = await gateway.post("/v1/chat/completions", { model, messages });

    expect([answer.status, vendor.seen.length]).toEqual([404, 0]);
    expect(await answer.text()).toContain(
      "does not generate text: it makes pictures, at POST /v1/images/generations",
    );
  });

  test("make images from text only", async () => {
    const answer = await ask({ model: IMAGEN, image: DATA_URI });

    expect([answer.status, vendor.seen.length]).toEqual([400, 0]);
    expect(await answer.json()).toMatchObject({ error: { param: "image" } });
  });

  test("get more options at the other service", async () => {
    respond = predicted;

    await ask({ model: IMAGEN_ON_VERTEX, seed: 7, negative_prompt: "dogs", quality: "hd" });

    expect(vendor.last.path).toBe(
      `/v1/projects/p/locations/global/publishers/google/models/${IMAGEN}:predict`,
    );
    expect(vendor.last.body).toEqual({
      instances: [{ prompt: "A fox" }],
      parameters: {
        sampleCount: 1,
        sampleImageSize: "2K",
        negativePrompt: "dogs",
        seed: 7,
        addWatermark: false,
        includeRaiReason: true,
        outputOptions: { mimeType: "image/png" },
      },
    });
  });
});
