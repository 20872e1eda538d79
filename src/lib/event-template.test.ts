import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { EventTemplate, type Slot } from "./event-template.ts";

const SLOTS: readonly Slot[] = [
  { name: "content", kind: "text" },
  { name: "reasoning", kind: "text" },
  { name: "padding", kind: "string" },
  { name: "number", kind: "number" },
];

interface Members {
  readonly id?: string;
  readonly padding?: string;
  readonly number?: number;
}

function eventOf(content: string, { id = "a", padding = "p", number = 1 }: Members = {}): Buffer {
  return Buffer.from(
    `data: ${JSON.stringify({ id, number, choices: [{ delta: { content } }], padding })}\n\n`,
  );
}

function learned(event: Buffer): EventTemplate {
  const template = new EventTemplate();
  expect(template.learn(event, SLOTS)).toBeDefined();
  return template;
}

/** The text of an event that matches as a whole. */
function textOf(template: EventTemplate, event: Buffer): string | undefined {
  if (template.matchAt(event, 0) !== event.length) return undefined;
  return event.toString("utf8", template.textStart, template.textEnd);
}

test("an event that differs only in its slots matches, and returns its text and number", () => {
  const template = learned(eventOf("Hel"));

  expect(textOf(template, eventOf("lo", { number: 42, padding: "longer" }))).toBe("lo");
  expect(template.number).toBe(42);
  expect(textOf(template, eventOf(""))).toBe("");
  expect(textOf(template, eventOf('"\\\n é 👍 \u0000'))).toBe('\\"\\\\\\n é 👍 \\u0000');
});

describe("an event that differs anywhere else does not match", () => {
  const other = (from: string, to: string): Buffer =>
    Buffer.from(eventOf("lo").toString().replace(from, to));

  test.each<[string, Buffer]>([
    ["another id", eventOf("lo", { id: "b" })],
    ["no text", other('"lo"', "null")],
    ["one more member", other('"lo"', '"lo","role":"x"')],
    ["a text without an end", other('"lo"', '"lo\\"')],
    ["a line break in the text", other('"lo"', '"l\no"')],
    ["an unknown escape", other('"lo"', '"\\x"')],
    ["half an escape", other('"lo"', '"\\u00g0"')],
    ["a number with a leading zero", other('"number":1', '"number":01')],
    ["a number with a fraction", other('"number":1', '"number":1.5')],
    ["a very long number", other('"number":1', '"number":1234567890123456')],
    ["a missing end", eventOf("lo").subarray(0, -3)],
    ["nothing", Buffer.alloc(0)],
  ])("%s", (_what, event) => {
    expect(learned(eventOf("Hel")).matchAt(event, 0)).toBe(-1);
  });
});

test("an event without exactly one text cannot be learned", () => {
  const template = new EventTemplate();
  const event = eventOf("Hel").toString();
  for (const text of [
    event.replace("content", "other"),
    event.replace('"Hel"', '""'),
    event.replace('"Hel"', '"Hel","reasoning":"why"'),
    event.replace('"Hel"}', '"Hel"},"more":{"content":"x"}'),
  ]) {
    expect(template.learn(Buffer.from(text), SLOTS)).toBeUndefined();
  }
  expect(template.matchAt(Buffer.from(event), 0)).toBe(-1);
});

test("events that follow each other are found one by one, also after the bytes were reused", () => {
  const first = eventOf("Hel");
  const template = learned(first);
  first.fill(0);
  const events = Buffer.concat([eventOf("a"), eventOf("bc"), eventOf("x", { id: "b" })]);
  const end = template.matchAt(events, 0);

  expect(end).toBe(eventOf("a").length);
  expect(template.matchAt(events, end)).toBe(end + eventOf("bc").length);
  expect(template.matchAt(events, template.matchAt(events, end))).toBe(-1);
});

test("a forgotten event matches nothing", () => {
  const template = learned(eventOf("Hel"));
  template.forget();

  expect(template.matchAt(eventOf("Hel"), 0)).toBe(-1);
});

test(`an event that matches is valid JSON with that text (seed ${SEED})`, () => {
  const template = learned(eventOf("Hel"));
  const [before = "", after = ""] = eventOf("|").toString().split("|");
  const unit = fc.constantFrom('"', "\\", "n", "u", "0", "x", "\n", "é", ",", ":", "}");

  fc.assert(
    fc.property(fc.string({ unit }), (inside) => {
      const event = Buffer.from(before + inside + after);
      const text = textOf(template, event);
      if (text === undefined) return;
      const json = JSON.parse(event.toString().slice("data: ".length));
      expect(json.choices[0].delta.content).toBe(JSON.parse(`"${text}"`));
    }),
    { seed: SEED, numRuns: times(1_000, 100_000) },
  );
});

test(`an event with any valid JSON string matches (seed ${SEED})`, () => {
  const template = learned(eventOf("Hel"));
  const unit = fc.constantFrom(
    '"',
    "\\",
    "/",
    "\n",
    "\u0000",
    "\u007f",
    "\u2028",
    "é",
    "👍",
    "\ud83d",
    "x",
  );

  fc.assert(
    fc.property(fc.string({ unit }), fc.nat(), (content, number) => {
      expect(textOf(template, eventOf(content, { number }))).toBe(
        Buffer.from(JSON.stringify(content).slice(1, -1)).toString(),
      );
    }),
    { seed: SEED, numRuns: times(100, 20_000) },
  );
});
