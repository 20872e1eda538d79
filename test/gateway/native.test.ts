import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { KEY, openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

const ASK = {
  contents: [{ role: "user", parts: [{ text: "Reply with exactly: one two three" }] }],
};

describe.each(UPSTREAMS.map((upstream) => [upstream.id, upstream] as const))(
  "the native style over an upstream of the style %s",
  (_id, upstream) => {
    let sandbox: Sandbox;
    let gateway: TestGateway;
    beforeAll(async () => {
      sandbox = await startSandbox();
      gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    });
    afterAll(async () => {
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    });

    test.each(["/v1beta", "/v1"])("[A4.7] responds at paths below %s", async (version) => {
      const path = `${version}/models/${upstream.model}:generateContent`;

      const answer = await gateway.post(path, ASK);

      expect(await answer.json()).toMatchObject({
        candidates: [
          { content: { role: "model", parts: [{ text: "one two three" }] }, finishReason: "STOP" },
        ],
        usageMetadata: { promptTokenCount: expect.any(Number) },
      });
    });

    test("[A4.7] streams one JSON array if no events are requested", async () => {
      const path = `/v1beta/models/${upstream.model}:streamGenerateContent`;

      const answer = await gateway.post(path, ASK);
      const chunks = (await answer.json()) as {
        candidates?: { content?: { parts?: { text?: string }[] } }[];
      }[];

      expect(answer.headers.get("content-type")).toContain("application/json");
      const text = chunks.flatMap(({ candidates }) =>
        (candidates ?? []).flatMap(({ content }) =>
          (content?.parts ?? []).map((part) => part.text),
        ),
      );
      expect(text.join("")).toBe("one two three");
    });

    test("a failing array is still an array, with the error as its last element", async () => {
      const path = `/v1beta/models/${upstream.model}:streamGenerateContent`;
      const text = "Count from 1 to 90. [[fault:streamerror after=12]]";

      const answer = await gateway.post(path, { contents: [{ role: "user", parts: [{ text }] }] });
      const chunks = (await answer.json()) as Record<string, unknown>[];

      expect(chunks.at(-1)).toMatchObject({ error: { code: expect.any(Number) } });
    });
  },
);

describe("[A5-2] the native style takes its key", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  const path = "/v1beta/models/gpt-4o-mini:generateContent";
  beforeAll(async () => {
    sandbox = await startSandbox();
    const [chat] = UPSTREAMS;
    if (chat === undefined) throw new Error("There is no upstream.");
    gateway = await openTestGateway({ yaml: channelOf(chat, sandbox.url) });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });
  const post = (where: string, headers: Record<string, string>): Promise<Response> =>
    fetch(gateway.url + where, { method: "POST", headers, body: JSON.stringify(ASK) });

  test.each<[string, string, Record<string, string>]>([
    ["as Bearer", path, { authorization: `Bearer ${KEY}` }],
    ["in a vendor's header", path, { "x-goog-api-key": KEY }],
    ["in any vendor's header", path, { "x-somebody-api-key": KEY }],
    ["in the query", `${path}?key=${KEY}`, {}],
  ])("%s", async (_how, where, headers) => {
    expect((await post(where, headers)).status).toBe(200);
  });

  test("[A7] and answers a wrong or missing one in its own format", async () => {
    for (const headers of [{}, { "x-goog-api-key": "sk-wrong" }]) {
      const answer = await post(path, headers as Record<string, string>);

      expect(answer.status).toBe(401);
      expect(await answer.json()).toMatchObject({
        error: { code: 401, status: "UNAUTHENTICATED", message: expect.any(String) },
      });
    }
  });

  test("[A7] an unknown operation and an unknown model are not found", async () => {
    const headers = { "x-goog-api-key": KEY };
    for (const where of [
      "/v1beta/models/gpt-4o-mini:distill",
      "/v1beta/models/none:generateContent",
    ]) {
      const answer = await post(where, headers);

      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 404, status: "NOT_FOUND" } });
    }
  });
});

describe("counting tokens", () => {
  let sandbox: Sandbox;
  let gateway: TestGateway;
  beforeAll(async () => {
    sandbox = await startSandbox();
    const messages = UPSTREAMS.find(({ id }) => id === "messages");
    if (messages === undefined) throw new Error("There is no upstream.");
    gateway = await openTestGateway({ yaml: channelOf(messages, sandbox.url) });
  });
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]();
    await sandbox.stop();
  });
  const model = "claude-sonnet-4-5-20250929";
  const count = async (body: object): Promise<number> => {
    const answer = await gateway.post("/v1/messages/count_tokens", { model, ...body });
    const { input_tokens: tokens } = (await answer.json()) as { input_tokens: number };
    return tokens;
  };
  const hello = [{ role: "user", content: "Hello, Claude" }];

  test("[A4.6-a] [A4.6-b] counts system, messages, tools and images (about 1,000 each), without an upstream call and without cost", async () => {
    const before = sandbox.requests.length;
    const bare = await count({ messages: hello });
    const source = { type: "url", url: "http://127.0.0.1/picture.png" };
    const picture = [
      {
        role: "user",
        content: [
          { type: "image", source },
          { type: "text", text: "?" },
        ],
      },
    ];
    const tool = { name: "f", description: "Does it.", input_schema: { type: "object" } };

    expect(bare).toBeGreaterThan(5);
    expect(bare).toBeLessThan(20);
    expect(await count({ messages: hello, system: "You are a scientist." })).toBeGreaterThan(bare);
    expect(await count({ messages: hello, tools: [tool] })).toBeGreaterThan(bare + 300);
    const pictured = await count({ messages: picture });
    expect(pictured).toBeGreaterThan(1_000);
    expect(pictured).toBeLessThan(1_050);
    expect(await count({ messages: hello, max_tokens: 5 })).toBe(bare);
    expect(sandbox.requests.length).toBe(before);
  });

  test("[A4.6-a] a missing field is named in the style's error format", async () => {
    const answer = await gateway.post("/v1/messages/count_tokens", { model });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining("messages") },
    });
  });

  test("[A5-5] an invalid key is an invalid request", async () => {
    const answer = await fetch(`${gateway.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { authorization: "Bearer sk-wrong" },
      body: JSON.stringify({ model, messages: hello }),
    });

    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.any(String) },
    });
  });

  test("counts in the native and the responses style as well", async () => {
    const native = await gateway.post(`/v1beta/models/${model}:countTokens`, ASK);
    const responses = await gateway.post("/v1/responses/input_tokens", { model, input: "Hello." });

    expect(await native.json()).toMatchObject({ totalTokens: expect.any(Number) });
    expect(await responses.json()).toMatchObject({
      object: "response.input_tokens",
      input_tokens: expect.any(Number),
    });
  });

  test("a text that is slow to count is counted within the test's time limit", async () => {
    const tokens = await count({ messages: [{ role: "user", content: "a".repeat(1_000_000) }] });

    expect(tokens).toBeGreaterThan(10_000);
  });
});
