import { describe, expect, test } from "bun:test";
import { answerQuestion } from "./answer.ts";
import { question } from "../testing/question.ts";
import type { Conversation, RequestSpec } from "./conversation.ts";

function say(conversation: Conversation, more: Partial<RequestSpec> = {}): string {
  return answerQuestion(question(conversation, more)).text;
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
  ])("recalls earlier messages: %s", (before, question, fact) => {
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

  test("responds with a dictated word, and nothing else", () => {
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
  ])("writes JSON on request: %s", (order, shape) => {
    expect(JSON.parse(say([user(order)]))).toEqual(shape);
  });

  test("writes JSON by a schema that its system prompt quotes", () => {
    const schema = { type: "object", properties: { note: { enum: ["a}b"] } }, required: ["note"] };
    const order = `Answer with one valid JSON object. It must conform to this schema:\n${JSON.stringify(schema)}`;

    expect(JSON.parse(say([system(order), user("Hello there, friend.")]))).toEqual({ note: "a}b" });
  });

  test.each([
    ["What is the capital of Norway?", "The capital of Norway is Oslo."],
    ["What is the capital of New Zealand? Answer in exactly one word.", "Wellington"],
    ["What is the chemical symbol for iron? Reply with just the symbol.", "Fe"],
    ["Who wrote War and Peace? Reply with the surname only.", "Tolstoy"],
    ['How many times does the letter "s" appear in "Mississippi"? Just the number.', "4"],
    ["How many e's are in cheese?", 'The letter "e" appears 3 times in "cheese".'],
  ])("answers common questions, at the requested length: %s", (question, answer) => {
    expect(say([user(question)])).toBe(answer);
  });

  test("prefers text dictated by its system prompt to its own knowledge", () => {
    const asked = [
      system('Reply with exactly the word "amber".'),
      user("What is the capital of Chad?"),
    ];

    expect(say(asked)).toBe("amber");
  });

  test("does not use words that the prompt forbids", () => {
    expect(say([user("Tell me about trees. Do not mention oaks.")])).not.toMatch(/oak/i);
  });

  test.each([
    ["The capital of Nor", true, "way is Oslo."],
    ["Well, that is Os", true, "lo."],
    ["Let me think.", true, " The capital of Norway is Oslo."],
    ["The capital of Nor", undefined, "The capital of Norway is Oslo."],
  ])("continues %j if its vendor does: %p", (begun, goesOn, rest) => {
    const turns = [user("What is the capital of Norway?"), assistant(begun)];

    expect(say(turns, goesOn === undefined ? {} : { goesOn })).toBe(rest);
  });

  test("continues on request", () => {
    const turns = [
      user("What is the capital of Norway?"),
      assistant("That is Os"),
      user("Continue."),
    ];

    expect(say(turns)).toBe("lo.");
  });

  test("puts a dictated text into a tool's field unchanged", () => {
    const content = "Ends </x> here.\nAnd `there`: a = b.";
    const schema = {
      type: "object",
      properties: { path: { type: "string" }, content: { type: "string" } },
      required: ["path", "content"],
    };
    const asked = `Call save_text with path a.md and content exactly:\n${content}`;
    const tool = { name: "save_text", description: "Saves a text.", schema };
    const tools: RequestSpec["tools"] = [{ kind: "function", ...tool }];
    const { calls } = answerQuestion(question(asked, { tools }));

    expect(calls.map(({ input }) => JSON.parse(input) as unknown)).toEqual([
      { path: "a.md", content },
    ]);
  });

  test("reads the named file, and answers with the value in it", () => {
    const path = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const tools: RequestSpec["tools"] = [
      { kind: "function", name: "list_files", description: "Lists the files.", schema: {} },
      { kind: "function", name: "read_file", description: "Reads a file.", schema: path },
    ];
    const asked = user("In this folder of files, what timeout does a.json set? Just the number.");
    const call = answerQuestion(question([asked], { tools })).calls[0];
    const result = { role: "result", tool: "read_file", text: '{ "timeout": 250 }' } as const;

    expect(call).toMatchObject({ name: "read_file", input: '{"path":"a.json"}' });
    expect(say([asked, { role: "assistant", text: "", calls: [] }, result], { tools })).toBe("250");
  });

  test("a question about JSON is answered with text", () => {
    expect(say([user("Is valid JSON always an object?")])).not.toStartWith("{");
  });
});
