import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KEY, openSimulated } from "#test/harness.ts";
import { openBooks, type Books } from "#test/books.ts";

let opened: Awaited<ReturnType<typeof openSimulated>>;
let books: Books;
beforeAll(async () => {
  opened = await openSimulated({ channel: "models: [gpt-4o-mini]" });
  books = openBooks(opened.dataDir);
});
afterAll(async () => {
  books.close();
  await opened[Symbol.asyncDispose]();
});

const PATH = "/v1/chat/completions";
const good = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] };

/** A refusal must name what is wrong, reach no upstream and touch no money. */
async function expectRefusal(
  send: () => Promise<Response>,
  status: number,
  error: Record<string, unknown>,
): Promise<void> {
  const before = { sent: opened.sandbox.requests.length, entries: books.entries().length };

  const answer = await send();
  const body = (await answer.json()) as Record<string, unknown>;

  expect({ status: answer.status, body }).toEqual({
    status,
    body: {
      error: {
        message: expect.any(String),
        type: "invalid_request_error",
        param: null,
        code: expect.anything(),
        ...error,
      },
    },
  });
  expect({ sent: opened.sandbox.requests.length, entries: books.entries().length }).toEqual(before);
}

describe("[A4.3-a] an invalid field is named", () => {
  const cases: [string, Record<string, unknown>, string][] = [
    ["no model", { model: undefined }, "model"],
    ["a model that is not a string", { model: 4 }, "model"],
    ["no messages", { messages: undefined }, "messages"],
    ["no message at all", { messages: [] }, "messages"],
    ["messages that are not a list", { messages: "hi" }, "messages"],
    ["a message without a role", { messages: [{ content: "hi" }] }, "messages[0].role"],
    ["a role that is not a text", { messages: [{ role: 7, content: "hi" }] }, "messages[0].role"],
    [
      "content of the wrong type",
      { messages: [{ role: "user", content: 5 }] },
      "messages[0].content",
    ],
    [
      "a part without its text",
      { messages: [{ role: "user", content: [{ type: "text" }] }] },
      "messages[0].content[0].text",
    ],
    ["a temperature above 2", { temperature: 2.1 }, "temperature"],
    ["a temperature below 0", { temperature: -0.1 }, "temperature"],
    ["a temperature as text", { temperature: "hot" }, "temperature"],
    ["a top_p above 1", { top_p: 1.5 }, "top_p"],
    ["max_tokens of zero", { max_tokens: 0 }, "max_tokens"],
    ["max_tokens in fractions", { max_tokens: 1.5 }, "max_tokens"],
    ["max_tokens beyond reason", { max_tokens: 1e18 }, "max_tokens"],
    ["a stream flag that is text", { stream: "yes" }, "stream"],
    ["tools that are not a list", { tools: {} }, "tools"],
    [
      "a tool without a name",
      { tools: [{ type: "function", function: {} }] },
      "tools[0].function.name",
    ],
    ["n of zero", { n: 0 }, "n"],
    ["n beyond its range", { n: 129 }, "n"],
    ["a penalty beyond its range", { presence_penalty: 3 }, "presence_penalty"],
  ];
  test.each(cases)("%s", async (_what, change, param) => {
    await expectRefusal(() => opened.post(PATH, { ...good, ...change }), 400, { param });
  });
});

describe("a value that may be newer than the gateway", () => {
  test("reaches a vendor of the client's style, which decides about it", async () => {
    const before = opened.sandbox.requests.length;

    const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
    const answer = await opened.post(PATH, { ...good, tools, tool_choice: "sometimes" });

    expect(opened.sandbox.requests.length).toBe(before + 1);
    expect(answer.status).toBe(400);
  });

  test("is refused by its name if the request has to be translated, before an upstream is called", async () => {
    const before = { sent: opened.sandbox.requests.length, entries: books.entries().length };

    const answer = await opened.post("/v1/messages", {
      ...good,
      max_tokens: 9,
      thinking: { type: "sometimes" },
    });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      type: "error",
      error: { message: expect.stringContaining("'thinking.type' must be one of") },
    });
    expect({ sent: opened.sandbox.requests.length, entries: books.entries().length }).toEqual(
      before,
    );
  });
});

describe("an invalid request body is refused", () => {
  test("truncated JSON", async () => {
    await expectRefusal(() => opened.post(PATH, '{"model":"gpt-4o-mini","mess'), 400, {});
  });

  test("an empty body", async () => {
    await expectRefusal(() => opened.post(PATH, ""), 400, {});
  });

  test("JSON that is not an object", async () => {
    await expectRefusal(() => opened.post(PATH, "[1,2]"), 400, {});
  });

  test("JSON nested 100,000 deep", async () => {
    const bomb = `{"model":"gpt-4o-mini","messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;

    await expectRefusal(() => opened.post(PATH, bomb), 400, {});
  });

  test("a body with so many parts that reading it would block other calls", async () => {
    const metadata = `{${'"a":{},'.repeat(250_000)}"a":{}}`;
    const text = `{"model":"gpt-4o-mini","messages":[],"metadata":${metadata}}`;

    await expectRefusal(() => opened.post(PATH, text), 413, {});
  });

  test("a duplicate member, since parsers differ in which value they use", async () => {
    await expectRefusal(
      () => opened.post(PATH, '{"model":"a","model":"gpt-4o-mini","messages":[]}'),
      400,
      { param: "model" },
    );
  });

  test("bytes that are not UTF-8", async () => {
    const send = (): Promise<Response> =>
      fetch(opened.url + PATH, {
        method: "POST",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
        body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
      });

    await expectRefusal(send, 400, {});
  });

  test("33 MiB, with or without an announced length", async () => {
    const large = JSON.stringify({ ...good, user: "x".repeat(33 * 1024 * 1024) });
    const headers = { authorization: `Bearer ${KEY}`, "content-type": "application/json" };
    const announced = (): Promise<Response> => opened.post(PATH, large);
    const chunked = (): Promise<Response> =>
      fetch(opened.url + PATH, { method: "POST", headers, body: new Blob([large]).stream() });

    await expectRefusal(announced, 413, {});
    await expectRefusal(chunked, 413, {});
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json x",
  ])("the content type %s", async (type) => {
    await expectRefusal(() => opened.post(PATH, good, { "content-type": type }), 415, {});
  });
});

describe("a client without permission is refused", () => {
  test("without a key: before the body is read", async () => {
    await expectRefusal(() => fetch(opened.url + PATH, { method: "POST", body: "{" }), 401, {
      code: "invalid_api_key",
    });
  });

  test("with an invalid key", async () => {
    const headers = { authorization: "Bearer sk-this-key-does-not-exist-0123456789" };

    await expectRefusal(() => opened.post(PATH, good, headers), 401, { code: "invalid_api_key" });
  });

  test("for an unknown model: 404 that names it", async () => {
    await expectRefusal(() => opened.post(PATH, { ...good, model: "gpt-99" }), 404, {
      code: "model_not_found",
      param: "model",
      message: "The model 'gpt-99' does not exist.",
    });
  });
});

test("additional fields of clients are accepted", async () => {
  const extras = {
    client_metadata: { a: 1 },
    prompt_cache_key: "k",
    search_parameters: {},
    enable_thinking: false,
    user: "",
    stop: null,
    tools: null,
    metadata: {},
    __proto__x: 1,
  };

  expect((await opened.post(PATH, { ...good, ...extras })).status).toBe(200);
});

test("a body with keys of every object's prototype has no side effect", async () => {
  const text =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"model":"gpt-4o-mini","messages":[{"role":"user","content":"hi"}]}';
  await opened.post(PATH, text);

  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});
