import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway } from "#test/harness.ts";
import { channelOf, channelsOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

const tools = [
  {
    type: "function",
    function: {
      name: "get_weather",
      description: "The weather in a city",
      parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  },
];

interface Message {
  content: string | null;
  tool_calls?: { id: string; type: string; function: { name: string; arguments: string } }[];
}

/** Both refuse a conversation whose proofs of reasoning are missing. */
describe.each(["messages", "gemini"])("a plain client of the chat style, on %s", (style) => {
  test("may drop unknown fields, and the conversation continues", async () => {
    const upstream = UPSTREAMS.find(({ id }) => id === style);
    if (upstream === undefined) throw new Error("There is no such upstream.");
    await using sandbox = await startSandbox();
    await using gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    const send = async (messages: readonly object[]): Promise<Message> => {
      const answer = await gateway.post("/v1/chat/completions", {
        model: upstream.thinker,
        reasoning_effort: "high",
        messages,
        tools,
      });
      expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
      const { choices } = (await answer.json()) as { choices: { message: Message }[] };
      return choices[0]?.message ?? { content: null };
    };

    const messages: object[] = [
      { role: "user", content: "What is the weather in Paris, Rome and Oslo?" },
    ];
    const first = await send(messages);
    // What the oldest clients keep of an answer.
    const calls = (first.tool_calls ?? []).map(
      ({ id, type, function: { name, arguments: args } }) => ({
        id,
        type,
        function: { name, arguments: args },
      }),
    );
    expect(calls).toHaveLength(3);
    messages.push({ role: "assistant", content: first.content, tool_calls: calls });
    for (const { id } of calls)
      messages.push({ role: "tool", tool_call_id: id, content: "Sunny." });

    expect((await send(messages)).content).toContain("Sunny");
    const sent = JSON.stringify(sandbox.requests.at(-1)?.body);
    expect(sent).toMatch(/"signature":"[^"]{20,}|"thoughtSignature":"[^"]{20,}/);
    expect(sent).not.toContain("skip_thought_signature_validator");
  });
});

describe("a native client that changes the vendor between a call and its result", () => {
  test.each(["gemini-2.5-flash", "gemini-3-pro-preview"])(
    "gets a response of %s, which receives only its own signatures",
    async (model) => {
      await using sandbox = await startSandbox();
      await using gateway = await openTestGateway({
        yaml: channelsOf(["messages", "gemini"], sandbox.url),
      });
      const asked = { role: "user", parts: [{ text: "What is the weather in Paris?" }] };
      const ask = async (asker: string, contents: readonly unknown[]): Promise<Content> => {
        const answer = await gateway.post(`/v1beta/models/${asker}:generateContent`, {
          contents,
          tools: [{ functionDeclarations: tools.map((tool) => tool.function) }],
          generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } },
        });
        expect([asker, answer.status]).toEqual([asker, 200]);
        const { candidates } = (await answer.json()) as { candidates: { content: Content }[] };
        return candidates[0]?.content ?? { parts: [] };
      };

      const called = await ask("claude-sonnet-4-5-20250929", [asked]);
      expect(JSON.stringify(called)).toContain("thoughtSignature");
      const result = {
        functionResponse: { name: "get_weather", response: { output: "Sunny." } },
      };
      const told = await ask(model, [asked, called, { role: "user", parts: [result] }]);

      expect(JSON.stringify(told)).toContain("Sunny");
    },
  );
});

describe("a client of the messages style whose first response had no thinking", () => {
  test("continues with a vendor that expects thinking, and the disabled thinking is reported", async () => {
    await using sandbox = await startSandbox();
    await using gateway = await openTestGateway({
      yaml: channelsOf(["messages", "responses"], sandbox.url),
    });
    const asked = { role: "user", content: "What is the weather in Paris?" };
    const ask = (model: string, messages: readonly object[]) =>
      gateway.post("/v1/messages", {
        model,
        max_tokens: 4_000,
        thinking: { type: "enabled", budget_tokens: 2_000 },
        messages,
        tools: tools.map(({ function: { parameters, ...tool } }) => ({
          ...tool,
          input_schema: parameters,
        })),
      });

    const first = await ask("gpt-5", [asked]);
    const { content } = (await first.json()) as { content: { type: string; id: string }[] };
    const [call] = content;
    expect(call?.type).toBe("tool_use");
    const result = { type: "tool_result", tool_use_id: call?.id, content: "Sunny." };
    const answer = await ask("claude-sonnet-4-5-20250929", [
      asked,
      { role: "assistant", content },
      { role: "user", content: [result] },
    ]);

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, "reasoning"]);
    expect(await answer.text()).toContain("Sunny");
  });
});

interface Content {
  parts: unknown[];
}
