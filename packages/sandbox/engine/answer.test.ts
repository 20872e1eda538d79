import { expect, test } from "bun:test";
import { answerQuestion } from "./answer.ts";
import type { Conversation, RequestSpec } from "./conversation.ts";
import { answerPieces } from "./pieces.ts";
import { question } from "../testing/question.ts";
import { countTokens } from "./tokens.ts";

function textOf(conversation: Conversation | string, extra: Partial<RequestSpec> = {}): string {
  return answerQuestion(question(conversation, extra)).text;
}

test.each([
  ["Reply with exactly: pong", "pong"],
  ["reply with exactly: two\nlines: yes", "two\nlines: yes"],
  ["Respond only with the word 'OK'.", "OK"],
  ['Please answer with the phrase "so it is" now', "so it is"],
  ["Answer with exactly the word OK and nothing else.", "OK"],
  ["Say hello", "hello"],
  ["Say hi to Dr. No! Then count to three.", "hi to Dr. No!"],
  ["Say: in lower case, Bob", "in lower case, Bob"],
  ["Say Good Morning in all caps", "GOOD MORNING"],
  ["Count to 5", "1, 2, 3, 4, 5"],
  ["Count down from 3", "3, 2, 1"],
  ["Count from three to six, one per line", "3\n4\n5\n6"],
  ["List the numbers from 8 to 10", "8, 9, 10"],
  ["What is 12 * (3 + 4)?", "12 * (3 + 4) = 84."],
  ["What is 2 ^ 3 ^ 2 - 10 / 4?", "2 ^ 3 ^ 2 - 10 / 4 = 509.5."],
  ["What is six times seven? Only the number.", "42"],
  ["Calculate 1,200 plus 15% of 80", "1200 + 15 / 100 * 80 = 1212."],
  ["Repeat the word tick 3 times", "tick tick tick"],
  ["Say ho ho 2 times, one per line", "ho ho\nho ho"],
  ["hi", "Hello! How can I help you today?"],
])("the prompt %j gets %j", (prompt, expected) => {
  expect(textOf(prompt)).toBe(expected);
});

test("a text of a number of words has that many", () => {
  expect(textOf("Write about 200 words on rivers").split(" ")).toHaveLength(200);
  expect(textOf("Write a 37-word story on rivers")).toContain("rivers");
  expect(
    textOf("Explain tides in 3 sentences")
      .split(/\.(?:\s|$)/)
      .filter((each) => each !== ""),
  ).toHaveLength(3);
});

test("a prompt without a matching rule gets its own text, the same each time", () => {
  const prompt = "Why is the harbour so foggy in November?";

  expect(textOf(prompt)).toContain("harbour foggy november");
  expect(textOf(prompt)).toBe(textOf(prompt));
});

test("other choices of the same request may differ", () => {
  const texts = [0, 1, 2, 3, 4, 5].map((variant) =>
    textOf("Why is the harbour foggy?", { variant }),
  );

  expect(new Set(texts).size).toBeGreaterThan(1);
});

test("earlier messages of the user are remembered", () => {
  const said = { role: "user", text: "My name is Ada and my dog is brown.", media: [] } as const;
  const heard = { role: "assistant", text: "Hello.", calls: [] } as const;
  const asked = (text: string): Conversation => [said, heard, { role: "user", text, media: [] }];

  expect(textOf(asked("What is my name?"))).toContain("Ada");
  expect(textOf(asked("What's my favourite colour?"))).toBe(
    "You have not told me your favourite colour.",
  );
});

test("an instruction of the system applies if the user gives none", () => {
  const system = { role: "system", text: "Always reply with exactly: beep" } as const;

  expect(textOf([system, { role: "user", text: "What do the stars do?", media: [] }])).toBe("beep");
  expect(textOf([system, { role: "user", text: "Say boop", media: [] }])).toBe("boop");
});

test("tool results are quoted", () => {
  const text = textOf([
    { role: "user", text: "Weather in Paris?", media: [] },
    {
      role: "assistant",
      text: "",
      calls: [{ kind: "function", name: "get_weather", input: "{}" }],
    },
    { role: "result", tool: "get_weather", text: '{"degrees":21}' },
    { role: "result", tool: "get_time", text: "" },
  ]);

  expect(text).toBe(
    'The get_weather tool returned: {"degrees":21}\nThe get_time tool returned nothing.',
  );
});

test("a refusal replaces the text, also with a response format", () => {
  const answer = answerQuestion(
    question("please refuse", { format: { kind: "schema", schema: { type: "object" } } }),
  );

  expect(answer).toMatchObject({ text: "", finish: "stop" });
  expect(answer.refusal).toContain("can't");
});

test("a higher effort causes longer reasoning, and none causes none", () => {
  const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
  const lengths = efforts.map((reasoning) =>
    countTokens(answerQuestion(question("Say hi", { reasoning })).reasoning),
  );

  expect(lengths[0]).toBe(0);
  expect(lengths).toEqual(lengths.toSorted((left, right) => left - right));
  expect(new Set(lengths).size).toBe(efforts.length);
});

test("dictated JSON is used, if it conforms to the schema", () => {
  const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };

  expect(textOf('Reply with exactly: {"a": 7}', { format: { kind: "schema", schema } })).toBe(
    '{"a": 7}',
  );
  expect(
    JSON.parse(textOf('Reply with exactly: {"a": "x"}', { format: { kind: "schema", schema } })),
  ).toEqual({ a: expect.any(Number) });
  expect(textOf("Reply with exactly: [1]", { format: { kind: "json" } })).toBe('{"answer":"[1]"}');
});

test("a truncated response has exactly the allowed number of tokens", () => {
  const tool = {
    kind: "function",
    name: "get_weather",
    description: "",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  } as const;
  const spent = (maxTokens: number) => {
    const answer = answerQuestion(
      question("Weather in Paris", { tools: [tool], reasoning: "low", maxTokens }),
    );
    return [[...answerPieces(answer)].reduce((sum, piece) => sum + piece.tokens, 0), answer.finish];
  };

  expect(spent(5)).toEqual([5, "length"]);
  expect(spent(30)).toEqual([30, "length"]);
  expect(spent(1_000)[1]).toBe("calls");
});

test("long and hostile prompts are processed without delay", () => {
  const prompts = [
    "-".repeat(300_000),
    "\n".repeat(300_000),
    "say ".repeat(75_000),
    "(".repeat(300_000),
    "1 + ".repeat(75_000),
    "In A, B, ".repeat(30_000),
    '"'.repeat(300_000),
  ];
  const tool = {
    kind: "function",
    name: "get_city",
    description: "",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  } as const;

  for (const prompt of prompts) {
    const startedAt = performance.now();
    answerQuestion(question(prompt, { tools: [tool], choice: { mode: "required" } }));
    answerQuestion(question(prompt));
    // Not a measure of speed: a runaway pattern takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  }
});
