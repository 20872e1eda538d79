import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openBooks, type Books } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { said, type Said } from "./answer.ts";

const SENTENCE = "The quick brown fox, 狐, jumps.";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Packages in front of simulators that check what they are sent as strictly as their vendors do. */
const PACKAGES = [
  { name: "@ai-sdk/openai", api: "chat", path: "/openai/v1", model: "gpt-4o-mini" },
  { name: "@ai-sdk/openai", api: "responses", path: "/openai/v1", model: "gpt-4o-mini" },
  { name: "@ai-sdk/anthropic", api: "messages", path: "/anthropic/v1", model: "claude-sonnet-4-5" },
  { name: "@ai-sdk/google", api: "chat", path: "/gemini/v1beta", model: "gemini-2.5-flash" },
];

let sandbox: Sandbox;
let gateway: TestGateway;
let books: Books;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channels = PACKAGES.map(
    ({ name, api, path, model }, index) => `  - name: channel-${index}
    provider: ai-sdk
    base_url: ${sandbox.url}${path}
    api_key: sk-upstream-secret-of-the-operator
    options: { package: "${name}", api: ${api} }
    models: [{ name: model-${index}, upstream: ${model} }]`,
  );
  gateway = await openTestGateway({ yaml: `channels:\n${channels.join("\n")}` });
  books = openBooks(gateway.dataDir);
});
afterAll(async () => {
  expect(await books.whenSettled()).toEqual([]);
  expect(books.calls().filter((call) => call["is_estimated"] === 1)).toEqual([]);
  books.close();
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

describe.each(PACKAGES.map((each, index) => ({ ...each, alias: `model-${index}` })))(
  "$name ($api)",
  ({ alias }) => {
    const ask = async (more: object): Promise<Said> => {
      const body = { model: alias, stream_options: { include_usage: true }, ...more };
      const { stream_options: _, ...plain } = body;
      return said(await gateway.post("/v1/chat/completions", "stream" in more ? body : plain));
    };
    const prompt = `Reply with exactly: ${SENTENCE}`;
    const messages = [{ role: "user", content: prompt }];

    const callers: [string, string, object][] = [
      ["chat", "/v1/chat/completions", { model: alias, messages }],
      ["messages", "/v1/messages", { model: alias, max_tokens: 200, messages }],
      ["responses", "/v1/responses", { model: alias, input: prompt }],
      [
        "native",
        `/v1beta/models/${alias}:generateContent`,
        { contents: [{ role: "user", parts: [{ text: prompt }] }] },
      ],
    ];
    test.each(callers)(
      "serves clients of the %s style, complete and streamed",
      async (_style, path, body) => {
        const streamPath = path.replace(":generateContent", ":streamGenerateContent?alt=sse");
        const whole = await gateway.post(path, body);
        const streamed = await gateway.post(
          streamPath,
          path === streamPath ? { ...body, stream: true } : body,
        );

        expect([whole.status, await whole.text()]).toEqual([
          200,
          expect.stringContaining(SENTENCE),
        ]);
        expect(streamed.headers.get("content-type")).toStartWith("text/event-stream");
        expect(textIn(await streamed.text())).toContain(SENTENCE);
      },
    );

    const tools = ["weather", "time"].map((what) => ({
      type: "function",
      function: {
        name: `get_${what}`,
        description: `Current ${what} of a city.`,
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    }));

    test("[A4.3-02] calls tools in parallel, and continues from their results", async () => {
      const question = {
        role: "user",
        content: "weather for New York and for Rio de Janeiro please",
      };
      for (const more of [{}, { stream: true }]) {
        const answer = await gateway.post("/v1/chat/completions", {
          model: alias,
          messages: [question],
          tools,
          ...more,
        });
        const text = await answer.text();
        const first = await said(new Response(text, { headers: answer.headers }));
        expect(first.calls).toEqual([
          { name: "get_weather", arguments: { city: "New York" } },
          { name: "get_weather", arguments: { city: "Rio de Janeiro" } },
        ]);
        expect(first.finish).toBe("tool_calls");

        const ids = [...new Set(text.match(/call_[A-Za-z0-9]{10,}/g))];
        expect(ids.length).toBe(2);
        const calls = first.calls.map((call, index) => ({
          id: ids[index],
          type: "function",
          function: { name: call.name, arguments: JSON.stringify(call.arguments) },
        }));
        const second = await ask({
          messages: [
            question,
            { role: "assistant", content: null, tool_calls: calls },
            ...ids.map((id, index) => ({
              role: "tool",
              tool_call_id: id,
              content: `${index} degrees`,
            })),
          ],
          tools,
          ...more,
        });
        expect(second.text).not.toBe("");
        expect(second).toMatchObject({ finish: "stop", error: undefined });
        expect(second.input).toBeGreaterThan(0);
      }
    });

    test("calls the tool that its client names, and none if tools are forbidden", async () => {
      const named = await ask({
        messages: [{ role: "user", content: "Weather in Paris" }],
        tools,
        tool_choice: { type: "function", function: { name: "get_time" } },
      });
      const none = await ask({
        messages: [{ role: "user", content: "Weather in Paris" }],
        tools,
        tool_choice: "none",
      });

      expect(named.calls.map((call) => call.name)).toEqual(["get_time"]);
      expect(none.calls).toEqual([]);
    });

    test("obeys a schema", async () => {
      const schema = {
        type: "object",
        properties: { name: { type: "string" }, age: { type: "integer" } },
        required: ["name", "age"],
        additionalProperties: false,
      };
      const answer = await ask({
        messages: [{ role: "user", content: "Ada is 36 years old. Who is it?" }],
        response_format: {
          type: "json_schema",
          json_schema: { name: "person", schema, strict: true },
        },
      });

      expect(JSON.parse(answer.text)).toEqual({
        name: expect.any(String),
        age: expect.any(Number),
      });
    });

    test("accepts an image as data", async () => {
      const answer = await ask({
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: prompt },
              { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } },
            ],
          },
        ],
      });

      expect(answer).toMatchObject({ text: SENTENCE, error: undefined });
    });

    test("stops at its client's limit", async () => {
      const long = `${SENTENCE} `.repeat(5).trim();
      const cutShort = await ask({
        messages: [{ role: "user", content: `Reply with exactly: ${long}` }],
        max_tokens: 16,
      });

      expect(cutShort.finish).toBe("length");
      expect(long).toStartWith(cutShort.text);
      expect(cutShort.output).toBeLessThanOrEqual(16);
    });
  },
);

describe("signed reasoning", () => {
  const tools = [
    {
      type: "function",
      function: {
        name: "get_weather",
        description: "Current weather of a city.",
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
      },
    },
  ];

  test("of a model is restored for a client that cannot carry the signature", async () => {
    const question = { role: "user", content: "weather for Rome please" };
    const asked = { model: "model-2", reasoning_effort: "low", max_tokens: 8_000, tools };
    const answer = await gateway.post("/v1/chat/completions", {
      ...asked,
      messages: [question],
      stream: true,
    });
    const text = await answer.text();
    const first = await said(new Response(text, { headers: answer.headers }));
    const [id] = text.match(/call_[A-Za-z0-9]{10,}/) ?? [];
    expect(first.reasoning).not.toBe("");
    expect(first.calls).toEqual([{ name: "get_weather", arguments: { city: "Rome" } }]);

    const second = await gateway.post("/v1/chat/completions", {
      ...asked,
      messages: [
        question,
        {
          role: "assistant",
          tool_calls: [
            {
              id,
              type: "function",
              function: { name: "get_weather", arguments: '{"city":"Rome"}' },
            },
          ],
        },
        { role: "tool", tool_call_id: id, content: "Sunny" },
      ],
    });

    // The simulator refuses reasoning whose seal is not its own, and a tool's turn without any.
    expect(second.status).toBe(200);
    expect(second.headers.get("sluice-lossy")).toBeNull();
  });
});

/** All pieces of text, whichever style's stream it is. */
function textIn(raw: string): string {
  const pieces = raw.matchAll(/"(?:content|text|delta)":"((?:[^"\\]|\\.)*)"/g);
  return [...pieces].map(([, piece]) => JSON.parse(`"${piece}"`)).join("");
}
