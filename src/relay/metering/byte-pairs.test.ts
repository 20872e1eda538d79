import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { bytePairCounter } from "./byte-pairs.ts";
import { countTexts } from "./tokens.ts";
import { readVocabulary, Vocabulary } from "./vocabulary.ts";

/** The tokenizer's package, in a thread of its own: its vocabulary is never on the main thread. */
let oracle: Worker;

beforeAll(async () => {
  const module = import.meta.resolve("gpt-tokenizer/encoding/o200k_base");
  const code = `
    import { countTokens } from ${JSON.stringify(module)};
    self.onmessage = ({ data }) =>
      self.postMessage(data.map((text) => countTokens(text, { disallowedSpecial: new Set() })));
  `;
  oracle = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  await countTexts(["a"]);
});

afterAll(() => oracle.terminate());

function expectedCounts(texts: readonly string[]): Promise<number[]> {
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  oracle.onmessage = ({ data }) => resolve(data);
  oracle.onerror = ({ message }) => reject(new Error(message));
  oracle.postMessage(texts);
  return promise;
}

const WORDS = [
  "The quick brown fox ",
  "don't we'll I'VE ",
  "HTTPServerError",
  "天地玄黄",
  "привет мир ",
  "🦊👩‍👩‍👧",
  "é́",
  "\n\n  \t",
  "0123456789",
  "     ",
  "<|endoftext|>",
  "/**//",
  "\ud800",
  "supercalifragilisticexpialidocious",
  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

test("every text has as many tokens as the tokenizer's package counts", async () => {
  const part = fc.oneof(fc.constantFrom(...WORDS), fc.string({ unit: "binary", maxLength: 20 }));
  // Up to the length that is counted in one piece.
  const text = fc.array(part, { maxLength: 12 }).map((parts) => parts.join("").slice(0, 300));
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 200 }), async (texts) => {
      const counts = await Promise.all(texts.map((each) => countTexts([each])));
      expect(counts).toEqual(await expectedCounts(texts));
    }),
    { numRuns: 30 },
  );
});

test("a word that is a token itself is one token, even if no two of its parts form a token", () => {
  const file = ["a", "b", "c", "abc"].map((token, rank) => `${btoa(token)} ${rank}\n`).join("");
  const count = bytePairCounter(new Vocabulary(readVocabulary(Buffer.from(file))), /\S+/g);

  expect(count("abc")).toBe(1);
  expect(count("abcc cab")).toBe(7);
});
