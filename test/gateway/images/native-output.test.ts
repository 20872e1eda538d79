import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { JsonObject } from "#lib/json.ts";
import { json, openVendor, stream, type Respond, type Vendor } from "#test/adapter/vendor.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEUlEQVR4nGP4z8DAAMQMEAoAHwQC/tuFLYcAAAAASUVORK5CYII=";
const URL_OF_PNG = `data:image/png;base64,${PNG}`;
/** What is drawn in the largest size is larger than any other event. */
const LARGE = Buffer.alloc(6 * 1_024 * 1_024, 7).toString("base64");

const NATIVE = "gemini-3-pro-image";
const OLDER = "gemini-2.5-flash-image";
const CHAT = "google/gemini-3-pro-image";

const picture = (data = PNG): JsonObject => ({ inlineData: { mimeType: "image/png", data } });
const candidate = (...parts: JsonObject[]): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 1_120, totalTokenCount: 1_125 },
  modelVersion: NATIVE,
  newMember: { of: "the vendor" },
});

const USAGE = { prompt_tokens: 5, completion_tokens: 1_120, total_tokens: 1_125 };
const SHOWN = [{ type: "image_url", image_url: { url: URL_OF_PNG } }];

/** An answer of each wire format that draws: words, then a picture. */
function answerChat(): Response {
  const message = { role: "assistant", content: "Here it is.", images: SHOWN };
  return json({
    id: "gen-1",
    object: "chat.completion",
    created: 1,
    model: CHAT,
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: USAGE,
  });
}

function streamChat(): Response {
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
    `data: ${JSON.stringify({ id: "gen-1", object: "chat.completion.chunk", created: 1, model: CHAT, choices, ...more })}\n\n`;
  const delta = (said: JsonObject, finish_reason: string | null = null): string =>
    chunk([{ index: 0, delta: said, finish_reason }]);
  return stream([
    delta({ role: "assistant", content: "Here it is." }),
    delta({ images: SHOWN }),
    delta({}, "stop"),
    chunk([], { usage: USAGE }),
    "data: [DONE]\n\n",
  ]);
}

function streamNative(...answers: readonly JsonObject[]): Response {
  return stream(answers.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`));
}

let respond: Respond;
let vendor: Vendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor((seen) => respond(seen));
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      `  - { name: native, provider: gemini, base_url: "${vendor.url}", api_key: secret, models: [${NATIVE}, ${OLDER}] }`,
      `  - { name: chat, provider: openrouter, base_url: "${vendor.url}", api_key: secret, models: [${CHAT}] }`,
    ].join("\n"),
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
});
beforeEach(() => {
  respond = () => json(candidate({ text: "Here it is." }, picture()));
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const ASK = {
  contents: [{ role: "user", parts: [{ text: "A fox" }] }],
  generationConfig: {
    responseModalities: ["IMAGE"],
    imageConfig: {
      aspectRatio: "16:9",
      imageSize: "4K",
      imageOutputOptions: { mimeType: "image/png" },
    },
  },
};

describe("[A4.7-e] a native client of a native upstream", () => {
  test("has its request and the image passed through unchanged", async () => {
    const whole = JSON.stringify(candidate(picture(LARGE)), undefined, 1);
    respond = () => new Response(whole, { headers: { "content-type": "application/json" } });
    const sent = JSON.stringify(ASK, undefined, 2);

    const answer = await gateway.post(`/v1beta/models/${NATIVE}:generateContent`, sent);

    expect((await answer.text()) === whole).toBe(true);
    expect([vendor.last.path, vendor.last.text]).toEqual([
      `/models/${NATIVE}:generateContent`,
      sent,
    ]);
  });

  test("gets its stream byte for byte, with images of any size", async () => {
    const chunks = [
      candidate({ text: "Hm.", thought: true }),
      candidate({ ...picture(LARGE), thoughtSignature: "c2ln" }),
    ];
    const whole = await streamNative(...chunks).text();
    respond = () => streamNative(...chunks);

    const path = `/v1beta/models/${NATIVE}:streamGenerateContent?alt=sse`;
    const answer = await gateway.post(path, ASK);

    expect((await answer.text()) === whole).toBe(true);
    expect(vendor.last.body).toEqual(ASK);
  });

  test("gets it through the official client", async () => {
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: gateway.url } });
    respond = () => streamNative(candidate(picture()));

    const answer = await client.models.generateContentStream({
      model: NATIVE,
      contents: "A fox",
      config: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "1:1" } },
    });
    const data = [];
    for await (const chunk of answer) data.push(chunk.data);

    expect(data).toEqual([PNG]);
  });
});

describe("[A4.7-e] a native client of an upstream of the chat style", () => {
  test("gets the image as inlineData", async () => {
    respond = answerChat;

    const answer = await gateway.post(`/v1beta/models/${CHAT}:generateContent`, {
      ...ASK,
      generationConfig: {
        responseModalities: ["TEXT", "IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      },
    });

    expect(await answer.json()).toMatchObject({
      candidates: [
        { content: { parts: [{ text: "Here it is." }, picture()] }, finishReason: "STOP" },
      ],
      usageMetadata: { candidatesTokenCount: 1_120 },
    });
    expect(vendor.last.body).toMatchObject({
      modalities: ["text", "image"],
      image_config: { aspect_ratio: "16:9", image_size: "2K" },
    });
    expect(answer.headers.get("sluice-lossy")).toBeNull();
  });

  test("gets it in a stream", async () => {
    respond = streamChat;

    const path = `/v1beta/models/${CHAT}:streamGenerateContent?alt=sse`;
    const answer = await gateway.post(path, ASK);

    expect(await answer.text()).toContain(JSON.stringify(picture()));
  });

  test("may send it back", async () => {
    respond = answerChat;

    const answer = await gateway.post(`/v1beta/models/${CHAT}:generateContent`, {
      contents: [
        ...ASK.contents,
        { role: "model", parts: [{ text: "Here." }, picture()] },
        { role: "user", parts: [{ text: "Now in red" }] },
      ],
    });

    expect(answer.headers.get("sluice-lossy")).toBeNull();
    expect(vendor.last.body["messages"]).toEqual([
      { role: "user", content: "A fox" },
      { role: "assistant", content: "Here.", images: SHOWN },
      { role: "user", content: "Now in red" },
    ]);
  });
});

/** What a caller of another style shows again: those who draw and think want proof of what they drew. */
const AS_MODELS = [
  { role: "user", parts: [{ text: "A fox" }] },
  { role: "model", parts: [{ text: "Here it is." }, picture()] },
  { role: "user", parts: [{ text: "Now in red" }] },
];
const AS_USERS = [
  { role: "user", parts: [{ text: "A fox" }] },
  { role: "model", parts: [{ text: "Here it is." }] },
  { role: "user", parts: [picture(), { text: "Now in red" }] },
];

describe("a client of the chat style, of a native upstream", () => {
  const question = {
    model: NATIVE,
    messages: [{ role: "user", content: "A fox" }],
    modalities: ["image", "text"],
  } as const;

  test("sets options in the fields of its style", async () => {
    await gateway.post("/v1/chat/completions", {
      ...question,
      image_config: { aspect_ratio: "16:9", image_size: "2K" },
    });

    expect(vendor.last.body).toEqual({
      contents: [{ role: "user", parts: [{ text: "A fox" }] }],
      generationConfig: {
        responseModalities: ["IMAGE", "TEXT"],
        imageConfig: { aspectRatio: "16:9", imageSize: "2K" },
      },
    });
  });

  test.each(["google", "vendor"])("or in extra_body.%s", async (name) => {
    const answer = await gateway.post("/v1/chat/completions", {
      ...question,
      extra_body: { [name]: { image_config: { aspect_ratio: "3:2" } } },
    });

    expect(vendor.last.body["generationConfig"]).toEqual({
      responseModalities: ["IMAGE", "TEXT"],
      imageConfig: { aspectRatio: "3:2" },
    });
    expect(answer.headers.get("sluice-lossy")).toBeNull();
  });

  test.each([
    [OLDER, AS_MODELS],
    [NATIVE, AS_USERS],
  ])("gets the image beside the text, and may send it back (%s)", async (model, contents) => {
    const answer = await gateway.post("/v1/chat/completions", { ...question, model });
    const { choices } = (await answer.json()) as { choices: { message: JsonObject }[] };
    const [first] = choices;
    const again = await gateway.post("/v1/chat/completions", {
      ...question,
      model,
      messages: [...question.messages, first?.message, { role: "user", content: "Now in red" }],
    });

    expect(first?.message).toMatchObject({ content: "Here it is.", images: SHOWN });
    expect(again.headers.get("sluice-lossy")).toBeNull();
    expect(vendor.last.body["contents"]).toEqual(contents);
  });

  test("gets the largest image in a stream, too", async () => {
    respond = () => streamNative(candidate(picture(LARGE)));

    const answer = await gateway.post("/v1/chat/completions", { ...question, stream: true });

    expect((await answer.text()).includes(LARGE)).toBe(true);
  });

  test("gets it in a stream, through the official client", async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    respond = () => streamNative(candidate({ text: "Here it is." }), candidate(picture()));

    const answer = await client.chat.completions.create({
      model: NATIVE,
      messages: [{ role: "user", content: "A fox" }],
      stream: true,
    });
    const deltas: unknown[] = [];
    for await (const chunk of answer) deltas.push(...chunk.choices.map(({ delta }) => delta));

    expect(deltas).toContainEqual(expect.objectContaining({ images: SHOWN }));
  });
});

describe("a client of the responses style, of a native upstream", () => {
  test("gets the image as an item, and may send it back", async () => {
    const first = await gateway.post("/v1/responses", { model: NATIVE, input: "A fox" });
    const { output } = (await first.json()) as { output: JsonObject[] };
    const again = await gateway.post("/v1/responses", {
      model: NATIVE,
      input: [
        { role: "user", content: "A fox" },
        ...output,
        { role: "user", content: "Now in red" },
      ],
    });

    expect(output).toMatchObject([
      { type: "message", content: [{ type: "output_text", text: "Here it is." }] },
      { type: "image_generation_call", status: "completed", result: PNG },
    ]);
    expect(again.headers.get("sluice-lossy")).toBeNull();
    expect(vendor.last.body["contents"]).toEqual(AS_USERS);
  });

  test("gets it in a stream", async () => {
    respond = () => streamNative(candidate(picture()));

    const answer = await gateway.post("/v1/responses", {
      model: NATIVE,
      input: "A fox",
      stream: true,
    });
    const text = await answer.text();

    expect(text).toContain("response.image_generation_call.completed");
    expect(text).toContain(`"result":"${PNG}"`);
  });
});

describe("a client of the messages style, which has no field for images,", () => {
  test.each([false, true])("gets it as a link in the text (streamed: %p)", async (isStream) => {
    respond = () => (isStream ? streamNative(candidate(picture())) : json(candidate(picture())));

    const answer = await gateway.post("/v1/messages", {
      model: NATIVE,
      max_tokens: 100,
      messages: [{ role: "user", content: "A fox" }],
      stream: isStream,
    });

    expect(await answer.text()).toContain(`![image](${URL_OF_PNG})`);
  });
});
