import { describe, expect, test } from "bun:test";
import { sampleTokens } from "./sample-tokens.ts";
import { countTexts, countTokens } from "./tokens.ts";

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

test("a sample of a long text gives the count of the whole text", async () => {
  const sentence = "Sluice counts every token once, and 天地玄黄 as well: 3.14159! ";
  const one = await countTokens(sentence.repeat(100));

  const many = await countTokens(sentence.repeat(20_000));

  expect(many / (one * 200)).toBeWithin(0.98, 1.02);
});

test("special tokens of a model in a client's text are counted as text", async () => {
  expect(await countTokens("<|endoftext|>")).toBeGreaterThan(3);
});

test("lone surrogates are harmless", async () => {
  expect(await countTokens("a\ud800b")).toBeGreaterThan(0);
});

test("an empty text has no tokens", async () => {
  expect(await countTexts([])).toBe(0);
  expect(await countTokens("")).toBe(0);
});

test("texts are counted off the main thread, which continues meanwhile", async () => {
  await countTokens("a");
  const slow = ["天地玄黄宇宙洪荒".repeat(50_000)];
  let most = 0;
  // On a crowded machine this thread may not run meanwhile: then it is tried again.
  for (let attempt = 0; attempt < 20 && most <= 5; attempt++) {
    let turns = 0;
    const turn = setInterval(() => turns++, 0);
    await Promise.all(Array.from({ length: 5 }, () => countTexts(slow)));
    clearInterval(turn);
    most = Math.max(most, turns);
  }

  expect(most).toBeGreaterThan(5);
});

test("the vocabulary is never loaded on the main thread", async () => {
  expect(await countTokens("Some words to be counted.")).toBe(6);

  const loaded = Object.keys(require.cache);
  expect(loaded.some((path) => path.includes("/relay/metering/tokens.ts"))).toBe(true);
  expect(loaded.filter((path) => path.includes("gpt-tokenizer"))).toEqual([]);
});

test("results reach their own requests, in any order", async () => {
  const texts = ["a", "word ".repeat(10_000), "one two three", ""];

  const together = await Promise.all(texts.map(countTokens));
  const alone = [];
  for (const text of texts) alone.push(await countTokens(text));
  expect(together).toEqual(alone);
});
