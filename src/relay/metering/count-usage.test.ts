import { expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { NO_USAGE } from "#core/usage.ts";
import { countInput } from "./count-input.ts";
import {
  countOutput,
  countRoughInput,
  countUsage,
  inTime,
  openCounter,
  withPrompt,
} from "./count-usage.ts";
import { countTokens } from "./tokens.ts";

const REQUEST: ChatRequest = {
  model: "m",
  messages: [{ role: "user", blocks: [{ type: "text", text: "word ".repeat(100) }] }],
  stream: true,
  sampling: {},
};

test("the tokens of the channel's system prompt are added to the counted input", () => {
  const usage = { ...NO_USAGE, inputTokens: 5, outputTokens: 3 };

  expect(withPrompt(usage, { promptTokens: 7 })).toEqual({ ...usage, inputTokens: 12 });
  expect(withPrompt(usage, {})).toBe(usage);
  expect(withPrompt(usage, undefined)).toBe(usage);
});

test("the input of a stream is counted once, and again if another model answers", async () => {
  const other: ModelTraits = { counting: { textFactor: 2, fullFactorTokens: 1 } };
  const traits: ModelTraits = {};
  let reads = 0;
  const count = openCounter(() => {
    reads++;
    return REQUEST;
  });

  const usages = [
    await count("", traits, 10),
    await count("", traits, 20),
    await count("", other, 20),
  ];

  expect(reads).toBe(2);
  expect(usages.map(({ inputTokens }) => inputTokens)).toEqual([
    await countInput(REQUEST, traits),
    await countInput(REQUEST, traits),
    await countInput(REQUEST, other),
  ]);
  expect(usages.map(({ outputTokens }) => outputTokens)).toEqual([10, 20, 40]);
  expect(usages.every(({ isEstimated }) => isEstimated)).toBe(true);
});

test("texts outside conversations are counted as often as a vendor reads them, and the rest of the estimate stays", async () => {
  const [query, document] = ["which of these ".repeat(20), "plain words ".repeat(200)];
  const roughOf = (text: string) => Math.ceil(text.length / 3);
  const texts = [
    { words: [query], times: 3 },
    { words: [document, document], times: 1 },
  ];
  const inputTokens = 1_000 + 3 * roughOf(query) + 2 * roughOf(document);

  const counted = await countRoughInput({ inputTokens, texts }, {});

  expect(counted).toBe(1_000 + 3 * (await countTokens(query)) + 2 * (await countTokens(document)));
  expect(counted).toBeLessThan(inputTokens);
});

test("usage is estimated by length if the tokenizer cannot count", async () => {
  const unreadable = {
    get messages(): never {
      throw new Error("The tokenizer ended.");
    },
  } as unknown as ChatRequest;

  expect(await countUsage(unreadable, "x".repeat(300), {}, { inputTokens: 77 }, 5)).toEqual({
    ...NO_USAGE,
    inputTokens: 77,
    outputTokens: 105,
    isEstimated: true,
  });
});

test("an answer waits for a count of its tokens for a limited time", async () => {
  const never = new Promise<number>(() => {});
  const refusal = await inTime(never, 5).catch(String);
  const counted = await inTime(countTokens("Hello there"));

  expect(refusal).toContain("Counting tokens took over 5 ms.");
  expect(await countOutput("Hello there", {}, 10)).toBe(10 + counted);
});
