import { expect, test } from "bun:test";
import type { ChatRequest } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import { NO_USAGE } from "#core/usage.ts";
import { countInput } from "./count-input.ts";
import { openCounter, withPrompt } from "./count-usage.ts";

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
