import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { CALLERS } from "#test/matrix/run.ts";

const VENDORS = [
  { id: "dashscope", path: "/dashscope/compatible-mode/v1", model: "qwen-plus" },
  { id: "ark", path: "/ark/api/v3", model: "doubao-seed-1-6-250615" },
];

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channels = VENDORS.map(({ id, path, model }) =>
    [
      `  - name: ${id}`,
      `    provider: ${id}`,
      `    base_url: ${sandbox.url}${path}`,
      "    api_key: upstream-secret-of-the-operator",
      `    models: [${model}]`,
    ].join("\n"),
  );
  gateway = await openTestGateway({ yaml: `channels:\n${channels.join("\n")}` });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const sent = (): Record<string, unknown> =>
  sandbox.requests.at(-1)?.body as Record<string, unknown>;

describe.each(VENDORS)("$id", ({ model }) => {
  const weather = {
    name: "get_weather",
    description: "Tells the weather in a city.",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  };

  describe.each(CALLERS.map((caller) => [caller.id, caller] as const))("from %s", (id, caller) => {
    test.each([true, false])(
      "responds, calls a tool and uses its result (stream %p)",
      async (stream) => {
        const read = async (ask: Parameters<typeof caller.request>[0]) => {
          const { path, body } = caller.request(ask);
          const answer = await gateway.post(path, body);
          const text = await answer.text();
          expect([answer.status, text.slice(0, 300)]).toEqual([200, text.slice(0, 300)]);
          const seen = stream ? caller.readStream(text) : caller.readWhole(JSON.parse(text));
          // What passes through is as the vendor writes it, and these have their own ways.
          return id === "chat" ? { ...seen, faults: [] } : seen;
        };
        const user = { role: "user", text: "What is the weather in Paris?" } as const;
        const first = await read({ model, stream, turns: [user], tools: [weather] });
        expect(first).toMatchObject({ finish: "calls", faults: [] });
        expect(first.calls).toMatchObject([{ name: "get_weather", args: { city: "Paris" } }]);

        const results = first.calls.map((call) => ({ call, text: "Sunny." }));
        const second = await read({
          model,
          stream,
          turns: [user, { role: "assistant", own: first.own }, { role: "tool", results }],
          tools: [weather],
        });
        expect(second).toMatchObject({ finish: "stop", faults: [] });
        expect(second.text).toContain("Sunny");
      },
    );
  });
});

describe("the family with enable_thinking", () => {
  const ask = (more: object): Promise<Response> =>
    gateway.post("/v1/chat/completions", {
      model: "qwen-plus",
      messages: [{ role: "user", content: "Reply with exactly: ok" }],
      ...more,
    });

  test("[A4.3-07] does not think if the response is not streamed, and the call succeeds", async () => {
    expect((await ask({ enable_thinking: true })).status).toBe(200);
    expect(sent()["enable_thinking"]).toBe(false);
  });

  test("[A4.3-07] thinks in a stream, with reasoning separate from the text", async () => {
    const text = await (await ask({ enable_thinking: true, stream: true })).text();

    expect(sent()["enable_thinking"]).toBe(true);
    expect(text).toContain('"reasoning_content":"');
    expect(text).not.toContain("<think>");
  });

  test.each(["svc_thinking_to_content", "thinking_to_content"])(
    "[A4.3-11] %s puts the thinking into the content",
    async (field) => {
      const text = await (await ask({ enable_thinking: true, stream: true, [field]: true })).text();

      expect(text).not.toContain("reasoning_content");
      expect(text).toContain('"content":"<think>');
      expect(text).toContain("</think>");
      expect(sent()).not.toHaveProperty(field);
    },
  );

  test("[A4.3-07] gets its parameters out of their object", async () => {
    const parameters = {
      enable_search: true,
      search_options: { region: "cn", recency_days: 7 },
      incremental_output: true,
      temperature: 0.3,
      top_p: 0.5,
    };

    expect((await ask({ parameters })).status).toBe(200);
    expect(sent()).toMatchObject({ enable_search: true, temperature: 0.3, top_p: 0.5 });
    expect(sent()).not.toHaveProperty("parameters");
  });
});

describe("the family with thinking", () => {
  const ask = (more: object): Promise<Response> =>
    gateway.post("/v1/chat/completions", {
      model: "doubao-seed-1-6-250615",
      messages: [{ role: "user", content: "Reply with exactly: ok" }],
      ...more,
    });

  test("[A4.3-08] does not think unless the request asks for it", async () => {
    expect((await ask({})).status).toBe(200);
    expect(sent()["thinking"]).toEqual({ type: "disabled" });
  });

  test("[A4.3-08] thinks if the request asks for it", async () => {
    const text = await (await ask({ thinking: { type: "enabled" }, stream: true })).text();

    expect(sent()["thinking"]).toEqual({ type: "enabled" });
    expect(text).toContain('"reasoning_content":"');
  });
});
