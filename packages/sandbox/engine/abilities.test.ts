import { describe, expect, test } from "bun:test";
import { answerQuestion } from "./answer.ts";
import type { Conversation, RequestSpec } from "./conversation.ts";

function say(conversation: Conversation, more: Partial<RequestSpec> = {}): string {
  return answerQuestion({
    conversation,
    tools: [],
    choice: { mode: "auto" },
    mayCallInParallel: true,
    format: { kind: "text" },
    reasoning: "none",
    stop: [],
    variant: 0,
    ...more,
  }).text;
}

const user = (text: string) => ({ role: "user", text, media: [] }) as const;
const assistant = (text: string) => ({ role: "assistant", text, calls: [] }) as const;
const system = (text: string) => ({ role: "system", text }) as const;

describe("the simulated model", () => {
  test.each([
    ["I have a cat named Tom.", "What is my cat's name?", "Tom"],
    ["My name is Ada and I have a dog called Byron.", "What is my dog's name?", "Byron"],
    ["The door code is `hawk-12`.", "What is the door code?", "hawk-12"],
    ["Remember the code word: cobalt. Reply with OK.", "What is the code word?", "cobalt"],
  ])("recalls what was said before: %s", (before, question, fact) => {
    expect(say([user(before), assistant("Noted."), user(question)])).toContain(fact);
  });

  test("finds a sentence in the middle of a long text", () => {
    const filler = "Nothing happens in this line of text.\n".repeat(500);
    const text = `${filler}The vault number is 7731.\n${filler}\nWhat is the vault number?`;

    expect(say([user(text)])).toContain("7731");
  });

  test("ends each reply as its system prompt wants it", () => {
    const asked = [system("You must end every reply with the word OVER."), user("What is 3 + 4?")];

    expect(say(asked)).toMatch(/7.*OVER$/);
  });

  test("answers with a word that is dictated, and nothing else", () => {
    expect(say([user("Reply with exactly this word and nothing else: DONE")])).toBe("DONE");
  });

  test.each<[string, unknown]>([
    [
      'Return ONLY a raw JSON object with keys "city" (string) and "year" (number). No fences.',
      { city: expect.any(String), year: expect.any(Number) },
    ],
    [
      'Reply with only JSON: {"team": {"lead": string, "sizes": [number, number]}}.',
      { team: { lead: expect.any(String), sizes: [expect.any(Number), expect.any(Number)] } },
    ],
  ])("writes JSON where it is told to: %s", (order, shape) => {
    expect(JSON.parse(say([user(order)]))).toEqual(shape);
  });

  test("writes JSON by a schema that its system prompt quotes", () => {
    const schema = { type: "object", properties: { note: { enum: ["a}b"] } }, required: ["note"] };
    const order = `Answer with one valid JSON object. It must conform to this schema:\n${JSON.stringify(schema)}`;

    expect(JSON.parse(say([system(order), user("Hello there, friend.")]))).toEqual({ note: "a}b" });
  });

  test("a question about JSON is answered in words", () => {
    expect(say([user("Is valid JSON always an object?")])).not.toStartWith("{");
  });
});
