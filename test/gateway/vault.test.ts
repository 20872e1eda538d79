import { describe, expect, test } from "bun:test";
import { startSandbox } from "#sandbox/server.ts";
import { openTestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

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
  test("may forget everything it does not know, and the conversation goes on", async () => {
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
