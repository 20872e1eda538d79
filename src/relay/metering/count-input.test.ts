import { describe, expect, test } from "bun:test";
import type { Block, ChatRequest } from "#core/chat.ts";
import type { Counting } from "#core/counting.ts";
import { countInput, countText } from "./count-input.ts";
import { countUsage } from "./count-usage.ts";

/** Nothing but words, so that one figure at a time can be seen. */
const BARE: Partial<Counting> = {
  perRequest: 0,
  perMessage: 0,
  perSystem: 0,
  perToolBlock: 0,
  toolPrompt: 0,
};

const hello: Block = { type: "text", text: "Hello there" };
const HELLO_TOKENS = 2;

function asked(blocks: readonly Block[], more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: "m", messages: [{ role: "user", blocks }], stream: false, sampling: {}, ...more };
}

async function count(request: ChatRequest, counting: Partial<Counting> = {}): Promise<number> {
  return await countInput(request, { counting: { ...BARE, ...counting } });
}

const FIND = {
  kind: "function",
  name: "find",
  description: "Finds a place.",
  parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
} as const;

describe("the input of a request", () => {
  test("is its text and the family's overhead for turns and instructions", async () => {
    const request: ChatRequest = {
      ...asked([hello]),
      messages: [
        { role: "system", blocks: [hello] },
        { role: "user", blocks: [hello] },
        { role: "assistant", blocks: [hello] },
        { role: "user", blocks: [hello] },
      ],
    };
    const words = 4 * HELLO_TOKENS;

    expect(await count(request)).toBe(words);
    expect(await count(request, { perRequest: 7 })).toBe(words + 7);
    expect(await count(request, { perMessage: 10 })).toBe(words + 20);
    expect(await count(request, { perSystem: 100 })).toBe(words + 100);
  });

  test("counts a developer's instructions like a system message", async () => {
    const request: ChatRequest = {
      ...asked([]),
      messages: [
        { role: "system", blocks: [hello] },
        { role: "developer", blocks: [hello] },
        { role: "user", blocks: [hello] },
      ],
    };

    expect(await count(request, { perSystem: 100 })).toBe(3 * HELLO_TOKENS + 200);
  });

  test("counts the name of a speaker", async () => {
    const named = asked([], { messages: [{ role: "user", name: "Hello there", blocks: [hello] }] });

    expect(await count(named)).toBe(2 * HELLO_TOKENS);
  });

  test("is never empty", async () => {
    expect(await count(asked([]))).toBe(1);
  });

  test("[A4.6] counts each image alike", async () => {
    const picture = (url: string): Block => ({ type: "image", source: { kind: "url", url } });

    expect(await count(asked([picture("https://a.test/x.png")]))).toBe(1_000);
    expect(await count(asked([picture("https://a.test/y.png"), hello]))).toBe(1_000 + HELLO_TOKENS);
  });

  test("counts calls and results, with their overhead", async () => {
    const call: Block = {
      type: "tool_call",
      id: "1",
      kind: "function",
      name: "find",
      arguments: "{}",
    };
    const result: Block = { type: "tool_result", callId: "1", blocks: [hello] };
    const words = await count(asked([call, result]));

    expect(words).toBe(1 + 1 + HELLO_TOKENS);
    expect(await count(asked([call, result]), { perToolBlock: 10 })).toBe(words + 20);
    const sealed: Block = { ...call, signature: { issuer: "x", value: "s".repeat(100) } };
    expect(await count(asked([sealed, result]), { perSealChar: 0.2 })).toBe(words + 20);
    expect(await count(asked([call, result]), { perSealChar: 0.2 })).toBe(words);
  });

  test("omits reasoning that the family does not read again", async () => {
    const signature = { issuer: "x", value: "s".repeat(100) };
    const reasoned = asked([{ type: "reasoning", text: "Hello there", signature }, hello]);

    expect(await count(reasoned)).toBe(HELLO_TOKENS);
    expect(await count(reasoned, { reasoningFactor: 0.5 })).toBe(HELLO_TOKENS + 1);
    expect(await count(reasoned, { perSealChar: 0.2 })).toBe(HELLO_TOKENS + 20);
  });

  test("does not count sealed content as text", async () => {
    const sealed = { text: "Hello there", encrypted: "x1Y".repeat(5_000) };

    expect(await count(asked([{ type: "other", style: "x", data: sealed }]))).toBeLessThan(20);
  });

  test("counts the text of a block that only one style has", async () => {
    const other = (text: string): Promise<number> =>
      count(asked([{ type: "other", style: "x", data: { text } }]));
    const short = await other("");

    expect(await other("word ".repeat(100))).toBeGreaterThan(short + 90);
    expect(await other("xyz ".repeat(50))).toBeGreaterThan(short + 40);
    // The longest text without a space that can be a word, and one that is longer.
    expect(await other("x1Y".repeat(100).slice(0, 200))).toBeGreaterThan(short + 40);
    expect(await other("x1Y".repeat(100).slice(0, 201))).toBe(short);
  });

  test("counts each recording, video or file alike, and the text in it", async () => {
    const source = { kind: "url", url: "https://a.test/x" } as const;
    for (const type of ["audio", "video", "file"] as const) {
      const medium: Block = { type, source };
      const heard: Block = { ...medium, transcript: "Hello there" };

      expect(await count(asked([medium]), { media: 70 })).toBe(70);
      expect(await count(asked([heard]), { media: 70 })).toBe(70 + HELLO_TOKENS);
    }
  });

  test("is larger with a schema, reasoning, or a required tool", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } } };
    const formatted = asked([hello], { format: { type: "json_schema", name: "f", schema } });
    const thinking = asked([hello], { reasoning: { enabled: true } });
    const little = asked([hello], { reasoning: { enabled: true, effort: "low" } });
    const forced = asked([hello], { tools: [FIND], toolChoice: { mode: "required" } });
    const free = asked([hello], { tools: [FIND] });

    expect(await count(formatted)).toBe(HELLO_TOKENS);
    expect(await count(formatted, { formatPrompt: 50, formatFactor: 1 })).toBeWithin(60, 80);
    expect(await count(thinking, { thinking: 30 })).toBe(HELLO_TOKENS + 30);
    expect(await count(little, { thinking: 30 })).toBe(HELLO_TOKENS);
    expect(await count(forced, { forcedTool: 9 })).toBe((await count(free)) + 9);
    expect(await count(free, { forcedTool: 9 })).toBe(await count(free));
    const named = { mode: "named", kind: "function", name: "find" } as const;
    expect(await count({ ...free, toolChoice: named }, { forcedTool: 9 })).toBe(
      (await count(free)) + 9,
    );
  });

  test("without tools has no instructions for tools", async () => {
    const request = asked([hello], { toolChoice: { mode: "required" } });

    expect(await count(request, { toolPrompt: 300, forcedTool: 9 })).toBe(HELLO_TOKENS);
  });

  test.each([
    [{ enabled: false, effort: "high" }, false],
    [{ effort: "high" }, true],
    [{ enabled: true, effort: "minimal" }, false],
    [{ budgetTokens: 1_024 }, true],
    [{ enabled: true, budgetTokens: 0 }, false],
    [{}, false],
  ] as const)("with reasoning set to %j has instructions for it: %p", async (reasoning, thinks) => {
    const tokens = await count(asked([hello], { reasoning }), { thinking: 30 });

    expect(tokens).toBe(HELLO_TOKENS + (thinks ? 30 : 0));
  });
});

test("tools are counted in the family's notation", async () => {
  const request = asked([], { tools: [FIND, FIND] });
  const json = await count(request);
  const types = await count(request, { toolText: "types" });
  const words = await count(request, { toolText: "words" });

  expect(json).toBeGreaterThan(types);
  expect(types).toBeGreaterThan(words);
  expect(await count(request, { toolPrompt: 300, perTool: 5 })).toBe(json + 310);
  expect(await count(request, { toolFactor: 2 })).toBe(json * 2);
});

test("a family's token ratio affects long texts, and hardly short ones", async () => {
  const traits = { counting: { textFactor: 1.2, fullFactorTokens: 200 } };
  const long = "word ".repeat(1_000);

  expect(await countText("Hello there", traits)).toBeWithin(2, 2.01);
  expect(await countText(long, traits)).toBeCloseTo(1.2 * (await countText(long, {})), 5);
});

test("usage that no upstream reported is counted from request and response with the model's tokenizer", async () => {
  const traits = { counting: { textFactor: 1.2 } };
  const question = asked([{ type: "text", text: "word ".repeat(1_000) }]);
  const answer = "word ".repeat(2_000);

  const usage = await countUsage(question, answer, traits, { inputTokens: 9_999 }, 10);

  expect(usage.inputTokens).toBe(await countInput(question, traits));
  expect(usage.outputTokens).toBe(Math.ceil(await countText(answer, traits, 10)));
  expect(usage.outputTokens).toBeWithin(2_390, 2_430);
  expect(usage.isEstimated).toBe(true);
});
