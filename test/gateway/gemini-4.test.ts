import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const KNOWN = ["gemini-4-argon", "gemini-4-carbon", "gemini-4-neon", "gemini-3.8-flash"];
const MODELS = [...KNOWN, "gemini-3.6-flash", "gemini-3.7-flash", "gemini-omni-1.2-flash"];
const DRAWS = "gemini-nano-banana-2.1";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      `  - { name: google, provider: gemini, base_url: "${sandbox.url}/gemini/v1beta", api_key: upstream-secret-of-the-operator, models: [${[...MODELS, DRAWS].join(", ")}] }`,
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

/** What the vendor was sent last. */
function sent(): JsonObject {
  return objectOf(sandbox.requests.at(-1)?.body as never) ?? {};
}

async function ask(path: string, body: JsonObject) {
  const answer = await gateway.post(path, body);
  const json = parseJson(await answer.text());
  const lost = (answer.headers.get("sluice-lossy") ?? "").split(", ").toSorted().join(", ");
  return { status: answer.status, lost, json: isObject(json) ? json : {} };
}

function askChat(model: string, more: JsonObject) {
  return ask("/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: "Reply with exactly: pong" }],
    ...more,
  });
}

function askNative(model: string, more: JsonObject) {
  return ask(`/v1beta/models/${model}:generateContent`, {
    contents: [{ role: "user", parts: [{ text: "Reply with exactly: pong" }] }],
    ...more,
  });
}

describe.each(["gemini-4-argon", "gemini-4-carbon", "gemini-4-neon"])("%s", (model) => {
  test.each([
    ["none", "LOW"],
    ["minimal", "LOW"],
    ["medium", "MEDIUM"],
    ["high", "HIGH"],
    ["xhigh", "HIGH"],
    ["max", "HIGH"],
  ])("gets the effort %s as the level %s", async (effort, level) => {
    const { status } = await askChat(model, { reasoning_effort: effort });

    expect([status, sent()["generationConfig"]]).toMatchObject([
      200,
      { thinkingConfig: { thinkingLevel: level } },
    ]);
    expect(JSON.stringify(sent())).not.toContain("thinkingBudget");
  });

  test("gets no sampling options or penalties and one choice, and the loss is reported", async () => {
    const settings = {
      temperature: 0,
      top_p: 0.5,
      top_k: 3,
      frequency_penalty: 0.5,
      presence_penalty: 0.5,
      n: 2,
    };
    const { status, lost } = await askChat(model, settings);

    expect(status).toBe(200);
    expect(lost).toBe("frequency_penalty, n, presence_penalty, temperature, top_k, top_p");
    expect(sent()["generationConfig"] ?? {}).toEqual({});
  });

  test("continues the last turn if it is the model's", async () => {
    const messages = [
      { role: "user", content: "hi" },
      { role: "assistant", content: "Well," },
    ];
    const { status, lost } = await askChat(model, { messages });
    expect([status, lost]).toEqual([200, "messages.prefill"]);
  });

  test.each([
    ["a number of tokens to think for", { thinkingBudget: 20_000 }, { thinkingLevel: "HIGH" }],
    ["no thinking", { thinkingBudget: 0 }, { thinkingLevel: "LOW" }],
    ["thinking as it likes", { thinkingBudget: -1 }, {}],
    ["a level that it lacks", { thinkingLevel: "MINIMAL" }, { thinkingLevel: "LOW" }],
    ["the highest level of the client", { thinkingLevel: "XHIGH" }, { thinkingLevel: "HIGH" }],
  ])("accepts %s of a client of its own style", async (_, thinkingConfig, told) => {
    const { status } = await askNative(model, { generationConfig: { thinkingConfig } });

    const config = objectOf(sent()["generationConfig"]);
    expect([status, objectOf(config?.["thinkingConfig"]) ?? {}]).toEqual([200, told]);
  });
});

test("3.8 flash has no minimal effort", async () => {
  const { status } = await askChat("gemini-3.8-flash", { reasoning_effort: "minimal" });
  expect([status, sent()["generationConfig"]]).toMatchObject([
    200,
    { thinkingConfig: { thinkingLevel: "LOW" } },
  ]);
});

test.each(KNOWN)("tool results name their calls: %s", async (model) => {
  const call = { id: "call_1", type: "function", function: { name: "find", arguments: "{}" } };
  const { status } = await askChat(model, {
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call_1", content: "Sunny" },
    ],
    tools: [{ type: "function", function: { name: "find", parameters: { type: "object" } } }],
  });
  expect(status).toBe(200);
});

describe("fields of the vendor's own style pass through", () => {
  test.each(MODELS)("roles in capitals: %s", async (model) => {
    const contents = [{ role: "USER", parts: [{ text: "Reply with exactly: pong" }] }];
    expect((await askNative(model, { contents })).status).toBe(200);
  });

  test("parts, settings and tools of this vendor", async () => {
    const body = {
      contents: [
        { role: "user", parts: [{ text: "hi", partMetadata: { a: 1 } }] },
        {
          role: "model",
          parts: [
            { toolCall: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", args: {} } },
            { toolResponse: { id: "t1", toolType: "GOOGLE_SEARCH_WEB", response: {} } },
            { text: "Hello.", speechMetadata: { speaker: "A" }, mediaProcessing: {} },
          ],
        },
        { role: "user", parts: [{ text: "Reply with exactly: pong", documentMetadata: {} }] },
      ],
      generationConfig: {
        responseFormat: { text: { mimeType: "text/plain" } },
        translationConfig: { targetLanguageCode: "de" },
        audioTranscriptionConfig: {},
      },
      tools: [{ googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    };
    await askNative("gemini-3.6-flash", body);

    expect(sent()).toMatchObject(body);
  });

  test("a response as a video", async () => {
    const { status, json } = await askNative("gemini-omni-1.2-flash", {
      generationConfig: { responseModalities: ["VIDEO"] },
    });
    expect([status, JSON.stringify(json).includes("video/mp4")]).toEqual([200, true]);
  });
});

test("a model's turn in capitals is translated for other vendors, too", async () => {
  const { status } = await askNative("gemini-4-argon", {
    contents: [
      { role: "USER", parts: [{ text: "hi" }] },
      { role: "MODEL", parts: [{ text: "Hello." }] },
      { role: "USER", parts: [{ text: "Reply with exactly: pong" }] },
    ],
  });
  expect(status).toBe(200);
});

test("Nano Banana 2.1 supports long formats", async () => {
  const { status, json } = await ask("/v1/images/generations", {
    model: DRAWS,
    prompt: "a fox",
    size: "1024x256",
  });
  expect([status, JSON.stringify(json).includes("b64_json")]).toEqual([200, true]);
  expect(sent()["generationConfig"]).toMatchObject({ imageConfig: { aspectRatio: "4:1" } });
});
