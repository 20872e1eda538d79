import { describe, expect, test } from "bun:test";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { prefixOf } from "#storage/counters/shared.ts";
import { loadPepper } from "#storage/secrets/secrets.ts";
import { SLOW_MONOTONIC } from "#test/accounts.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, channelsOf, UPSTREAMS } from "#test/matrix/upstreams.ts";
import { areCountersReachable, COUNTERS, openScratchCounters } from "#test/scratch-counters.ts";
import { waitFor } from "#test/wait.ts";

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

const ASKED = { role: "user", content: "What is the weather in Paris, Rome and Oslo?" };

type Post = Pick<TestGateway, "post">;

/** What the oldest clients keep of an answer, with the results of its tool calls. */
async function askWithTools(gateway: Post, model: string): Promise<readonly object[]> {
  const { content, tool_calls: made = [] } = await send(gateway, model, [ASKED]);
  const calls = made.map(({ id, type, function: { name, arguments: args } }) => ({
    id,
    type,
    function: { name, arguments: args },
  }));
  expect(calls).toHaveLength(3);
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "Sunny." }));
  return [ASKED, { role: "assistant", content, tool_calls: calls }, ...results];
}

async function send(gateway: Post, model: string, messages: readonly object[]): Promise<Message> {
  const body = { model, reasoning_effort: "high", messages, tools };
  const answer = await gateway.post("/v1/chat/completions", body);
  expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
  const { choices } = (await answer.json()) as { choices: { message: Message }[] };
  return choices[0]?.message ?? { content: null };
}

function thinkerOf(style: string) {
  const upstream = UPSTREAMS.find(({ id }) => id === style);
  if (upstream?.thinker === undefined) throw new Error("There is no such upstream.");
  return { upstream, model: upstream.thinker };
}

const SIGNED = /"signature":"[^"]{20,}|"thoughtSignature":"[^"]{20,}/;

/** Both refuse a conversation whose proofs of reasoning are missing. */
describe.each(["messages", "gemini"])("a plain client of the chat style, on %s", (style) => {
  const { upstream, model } = thinkerOf(style);

  test("may drop unknown fields, and the conversation continues", async () => {
    await using sandbox = await startSandbox();
    await using gateway = await openTestGateway({ yaml: channelOf(upstream, sandbox.url) });
    const messages = await askWithTools(gateway, model);

    expect((await send(gateway, model, messages)).content).toContain("Sunny");
    const sent = JSON.stringify(sandbox.requests.at(-1)?.body);
    expect(sent).toMatch(SIGNED);
    expect(sent).not.toContain("skip_thought_signature_validator");
  });

  test.if(areCountersReachable)(
    "may change the gateway between tool calls and their results, if the gateways share Valkey",
    async () => {
      const secret = `secret of this test ${crypto.randomUUID()}`;
      await using left = await openScratchCounters(prefixOf(loadPepper("", secret)));
      await using sandbox = await startSandbox();
      const open = () =>
        openTestGateway({
          yaml: channelOf(upstream, sandbox.url),
          env: { SLUICE_SECRET: secret, REDIS_URL: COUNTERS },
          // On a busy machine the server may take longer than a gateway waits for it.
          clock: { now: () => Date.now(), monotonic: SLOW_MONOTONIC },
        });
      await using one = await open();
      await using two = await open();
      const messages = await askWithTools(one, model);
      await waitFor(async () => (await left.keys()).some((key) => key.endsWith("{reasoning}:sum")));

      expect((await send(two, model, messages)).content).toContain("Sunny");
      const sent = JSON.stringify(sandbox.requests.at(-1)?.body);
      expect(sent).toMatch(SIGNED);
      expect(sent).not.toContain("skip_thought_signature_validator");
    },
  );
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
