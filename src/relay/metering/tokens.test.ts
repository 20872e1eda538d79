import { expect, test } from "bun:test";
import { countTexts, countTokens, countTokensSoon } from "./tokens.ts";

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

test("a long text is counted by a sample while many wait, and as a whole otherwise", async () => {
  const sentence = "Sluice counts every token once, and 天地玄黄 as well: 3.14159! ";
  const odd = `${sentence.repeat(500)}${"?!".repeat(300)}${sentence.repeat(500)}`;
  const whole = await countTokens(odd);
  expect(await countTokensSoon(odd)).toBe(whole);

  const many = countTexts(["word ".repeat(210_000)]);
  const sampled = countTokensSoon(odd);
  const short = countTokensSoon(sentence);
  await many;

  expect(await sampled).not.toBe(whole);
  expect((await sampled) / whole).toBeWithin(0.9, 1.1);
  expect(await short).toBe(await countTokens(sentence));
  expect(await countTokensSoon(odd)).toBe(whole);
});
