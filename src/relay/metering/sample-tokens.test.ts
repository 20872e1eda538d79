import { describe, expect, test } from "bun:test";
import { evenSample, sampleTokens } from "./sample-tokens.ts";

/** Five million characters of what is slow to count, or merely long. */
const CHARS = 5_000_000;
const LONG = {
  "one letter": "a".repeat(CHARS),
  spaces: " ".repeat(CHARS),
  Chinese: "天地玄黄宇宙洪荒".repeat(CHARS / 8),
  base64: Buffer.alloc((CHARS / 4) * 3, "\u0001\u00f7\u0042\u00a9\u0013").toString("base64"),
  emoji: "🦊".repeat(CHARS / 2),
  sentences: "The quick brown fox jumps over it. ".repeat(CHARS / 35),
};

/** Counts four characters a token, and notes what it is given. */
function spy() {
  const given: string[] = [];
  const count = (text: string): number => {
    given.push(text);
    return text.length / 4;
  };
  return { given, count };
}

describe("the tokenizer's input is limited, and the whole text is still counted", () => {
  test.each(Object.entries(LONG))("%s", (_, text) => {
    const { given, count } = spy();

    const tokens = sampleTokens([text], count);

    expect(given.length).toBeLessThanOrEqual(1_001);
    expect(Math.max(...given.map(({ length }) => length))).toBeLessThanOrEqual(400);
    expect(tokens).toBeWithin((text.length / 4) * 0.999, (text.length / 4) * 1.001);
  });

  test("a million short texts", () => {
    const { given, count } = spy();

    const tokens = sampleTokens(Array<string>(1_000_000).fill("word"), count);

    expect(given.length).toBeLessThanOrEqual(1_001);
    expect(tokens).toBe(1_000_000);
  });

  test("no character is split", () => {
    const { given, count } = spy();

    sampleTokens([`x${"🦊".repeat(2_000)}`], count);

    expect(given.length).toBeGreaterThan(5);
    expect(given.every((piece) => piece.isWellFormed())).toBe(true);
    expect(given.join("")).toBe(`x${"🦊".repeat(2_000)}`);
  });
});

test("a text is cut at the last space of a piece, or in the middle of a long word", () => {
  const { given, count } = spy();
  const late = `${"a".repeat(201)} ${"b".repeat(300)}`;
  const early = `${"a".repeat(200)} ${"b".repeat(300)}`;

  expect(sampleTokens([late], count)).toBe(late.length / 4);
  expect(sampleTokens([early], count)).toBe(early.length / 4);

  expect(given.map(({ length }) => length)).toEqual([201, 301, 400, 101]);
});

test("a text of one piece is counted whole, and so are many of them", () => {
  const { given, count } = spy();

  sampleTokens(["a ".repeat(200), "short", "a ".repeat(200)], count);

  expect(given.map(({ length }) => length)).toEqual([400, 5, 400]);
});

test("a thousand pieces are counted exactly; of one more, every second is", () => {
  const exact = spy();
  const sampled = spy();

  expect(sampleTokens(Array<string>(1_000).fill("word"), exact.count)).toBe(1_000);
  expect(sampleTokens(Array<string>(1_001).fill("word"), sampled.count)).toBe(1_001);

  expect(exact.given).toHaveLength(1_000);
  expect(sampled.given).toHaveLength(501);
});

test("a character outside the basic plane is not cut, and one at its end is left whole", () => {
  const bounds = ["\ud7ff", "\ue000", "\u{10000}", "\u{10ffff}"];
  const lengths = bounds.map((bound) => {
    const { given, count } = spy();
    sampleTokens(["x".repeat(399) + bound + "x".repeat(10)], count);
    expect(given.every((piece) => piece.isWellFormed())).toBe(true);
    return given[0]?.length;
  });

  expect(lengths).toEqual([400, 400, 399, 399]);
});

describe("an even sample", () => {
  test("has pieces from all parts of the text", () => {
    const numbers = Array.from({ length: 10_000 }, (_, at) => String(at)).join(" ");
    const sample = evenSample(numbers, 4);

    expect(sample.map((piece) => numbers.indexOf(piece))).toEqual(
      [0, 1, 2, 3].map((part) => Math.floor((part * numbers.length) / 4)),
    );
    expect(Math.max(...sample.map(({ length }) => length))).toBeLessThanOrEqual(400);
  });

  test.each([1, 3, 7])("of %d pieces has no half of a surrogate pair", (count) => {
    const sample = evenSample(`x${"🦊".repeat(9_999)}`, count);

    expect(sample).toHaveLength(count);
    expect(sample.every((piece) => piece.isWellFormed())).toBe(true);
  });
});
