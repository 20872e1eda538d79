import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { openSimulated, openTestGateway, type TestGateway } from "#test/harness.ts";
import { openScriptedVendor, type ScriptedVendor } from "#test/scripted-vendor.ts";

/** Mistral's official clients say so of themselves, and refuse what their own vendor never sends. */
const CLIENT = { "user-agent": "mistral-client-typescript/2.7.0" };

const TOOL = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};

async function chunksOf(answer: Response): Promise<readonly JsonObject[]> {
  const payloads = (await answer.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => parseJson(event.slice("data: ".length)));
  return payloads.filter(isObject);
}

const choicesOf = (chunk: JsonObject): readonly JsonObject[] =>
  listOf(chunk["choices"]).filter(isObject);
const callsOf = (chunk: JsonObject): readonly JsonObject[] =>
  choicesOf(chunk)
    .flatMap(({ delta }) => listOf(objectOf(delta)?.["tool_calls"]))
    .filter(isObject);

/** What that client's own types require of a chunk. */
function faultsOf(chunk: JsonObject): readonly string[] {
  const faults: string[] = [];
  const need = (isSo: boolean, what: string): void => void (isSo || faults.push(what));
  need(typeof chunk["id"] === "string", "id");
  need(typeof chunk["model"] === "string", "model");
  need(Number.isInteger(chunk["created"]), "created");
  need(chunk["usage"] === undefined || isObject(chunk["usage"]), "usage");
  need(choicesOf(chunk).length > 0, "choices");
  for (const { index, delta, finish_reason: reason } of choicesOf(chunk)) {
    need(Number.isInteger(index), "index");
    need(isObject(delta), "delta");
    need(reason === null || typeof reason === "string", "finish_reason");
  }
  for (const { id, function: called } of callsOf(chunk)) {
    need(typeof id === "string", "id of a call");
    need((textOf(objectOf(called)?.["name"]) ?? "") !== "", "name of a call");
    need(isObject(parseJson(textOf(objectOf(called)?.["arguments"]) ?? "")), "arguments");
  }
  return faults;
}

describe.each([
  ["of the same style", "openai"],
  ["that keeps to no style closely", "ollama"],
])("a client of compact streams, on an upstream %s", (_, provider) => {
  let opened: Awaited<ReturnType<typeof openSimulated>>;
  beforeAll(async () => {
    opened = await openSimulated({ channel: "models: [gpt-4o-mini]", provider });
  });
  afterAll(() => opened[Symbol.asyncDispose]());

  const ask = async (content: string, more: object = {}, headers: object = CLIENT) =>
    await chunksOf(
      await opened.post(
        "/v1/chat/completions",
        { model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content }], ...more },
        { ...headers },
      ),
    );

  test("gets usage without asking, beside the finish reason and not before", async () => {
    const chunks = await ask("Reply with exactly: one two three");

    expect(chunks.flatMap(faultsOf)).toEqual([]);
    expect(chunks.slice(0, -1).some((chunk) => "usage" in chunk)).toBe(false);
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: "stop" }],
      usage: { completion_tokens: expect.any(Number) },
    });
    const text = chunks
      .flatMap(choicesOf)
      .map(({ delta }) => textOf(objectOf(delta)?.["content"]) ?? "");
    expect(text.join("")).toBe("one two three");
  });

  test("gets each tool call in one chunk", async () => {
    const chunks = await ask("What is the weather in Paris?", { tools: [TOOL] });

    expect(chunks.flatMap(faultsOf)).toEqual([]);
    expect(chunks.flatMap(callsOf)).toMatchObject([
      { index: 0, type: "function", function: { name: "get_weather" } },
    ]);
    expect(choicesOf(chunks.at(-1) ?? {})).toMatchObject([{ finish_reason: "tool_calls" }]);
  });

  test("may ask for several choices: usage comes with the last of them", async () => {
    const chunks = await ask("Reply with exactly: hi", { n: 2 });

    expect(chunks.flatMap(faultsOf)).toEqual([]);
    expect(chunks.filter((chunk) => "usage" in chunk)).toEqual([chunks.at(-1) ?? {}]);
    expect(
      chunks.flatMap(choicesOf).filter((each) => each["finish_reason"] === "stop"),
    ).toHaveLength(2);
  });

  test("other clients get tool calls in pieces, and no usage", async () => {
    const chunks = await ask("What is the weather in Paris?", { tools: [TOOL] }, {});

    expect(chunks.flatMap(callsOf).length).toBeGreaterThan(1);
    expect(chunks.some((chunk) => isObject(chunk["usage"]))).toBe(false);
  });

  test("its value for a required tool call, and its image links, are accepted", async () => {
    const forced = await opened.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [{ role: "user", content: "hi" }],
      tools: [TOOL],
      tool_choice: "any",
    });
    expect([forced.status, JSON.stringify(await forced.json())]).toEqual([
      200,
      expect.stringContaining('"tool_calls"'),
    ]);

    const url =
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const shown = await opened.post("/v1/chat/completions", {
      model: "gpt-4o-mini",
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is this?" },
            { type: "image_url", image_url: url },
          ],
        },
      ],
    });
    expect([shown.status, await shown.json()]).toMatchObject([200, { object: "chat.completion" }]);
  });
});

test("the list of models has the fields that such a client needs to identify models", async () => {
  await using opened = await openSimulated({
    channel: "models: [gpt-4o-mini, o3-mini, text-embedding-3-small]",
  });

  const { data } = (await (await opened.get("/v1/models", CLIENT)).json()) as { data: unknown };

  const capabilities = { completion_chat: true, function_calling: true, reasoning: false };
  expect(data).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        id: "gpt-4o-mini",
        type: "base",
        capabilities: { ...capabilities, vision: true },
      }),
      expect.objectContaining({
        id: "o3-mini",
        type: "base",
        capabilities: { ...capabilities, reasoning: true, vision: false },
      }),
      expect.objectContaining({
        id: "text-embedding-3-small",
        type: "base",
        capabilities: {
          completion_chat: false,
          function_calling: false,
          reasoning: false,
          vision: false,
        },
      }),
    ]),
  );
});

test("embeddings have an id, since such a client refuses them without one", async () => {
  await using opened = await openSimulated({ channel: "models: [text-embedding-3-small]" });

  const body = { model: "text-embedding-3-small", input: ["one", "two"] };
  const answer = await opened.post("/v1/embeddings", body, CLIENT);

  expect(await answer.json()).toMatchObject({
    id: expect.stringMatching(/./),
    object: "list",
    data: [{ index: 0 }, { index: 1 }],
  });
});

describe("on an upstream whose streams are compact", () => {
  let vendor: ScriptedVendor;
  let gateway: TestGateway;
  beforeAll(async () => {
    vendor = await openScriptedVendor();
    gateway = await openTestGateway({
      yaml: `channels:\n  - { name: one, provider: mistral, base_url: "${vendor.url}/v1", api_key: sk-upstream, models: [mistral-small-latest] }\n`,
    });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await vendor[Symbol.asyncDispose]();
  });

  test("the stream passes unchanged", async () => {
    const head = '"id":"c","object":"chat.completion.chunk","created":1,"model":"m"';
    const script = [
      `data: {${head},"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n`,
      `data: {${head},"choices":[{"index":0,"delta":{"tool_calls":[{"id":"D681PevKs","function":{"name":"get_weather","arguments":"{\\"city\\": \\"Paris\\"}"},"index":0}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"total_tokens":20,"completion_tokens":11}}\n\n`,
      "data: [DONE]\n\n",
    ];
    vendor.play(script);

    const answer = await gateway.post(
      "/v1/chat/completions",
      {
        model: "mistral-small-latest",
        stream: true,
        messages: [{ role: "user", content: "hi" }],
        tools: [TOOL],
      },
      CLIENT,
    );

    expect(await answer.text()).toBe(script.join(""));
  });
});
