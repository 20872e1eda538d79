import { expect, test } from "bun:test";
import type { Answer } from "./conversation.ts";
import { limitAnswer } from "./limit-answer.ts";
import { countTokens } from "./tokens.ts";

const answer: Answer = {
  reasoning: "one two three four five six seven eight",
  text: "nine ten eleven twelve",
  calls: [],
  finish: "stop",
};

test("reasoning is cut at its own limit, and the text still follows", () => {
  const limited = limitAnswer(answer, { stop: [], maxReasoningTokens: 3 });

  expect(limited).toMatchObject({ reasoning: "one two three", text: answer.text, finish: "stop" });
});

test("a limit for the text alone does not affect the reasoning", () => {
  const alone = limitAnswer(answer, { stop: [], maxTokens: 2, limitCovers: "answer" });
  const all = limitAnswer(answer, { stop: [], maxTokens: 2 });

  expect(alone).toMatchObject({
    reasoning: answer.reasoning,
    text: "nine ten",
    finish: "length",
  });
  expect(countTokens(all.reasoning + all.text)).toBe(2);
});

test("a limit that is just sufficient cuts nothing", () => {
  expect(limitAnswer(answer, { stop: [], maxTokens: 12 })).toEqual(answer);
});
