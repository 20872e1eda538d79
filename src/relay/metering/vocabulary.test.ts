import { expect, test } from "bun:test";
import { NO_RANK, readVocabulary, Vocabulary } from "./vocabulary.ts";

/** A vocabulary of these tokens, whose ranks are their places. */
function vocabularyOf(tokens: readonly string[], end = "\n") {
  const lines = tokens.map((token, rank) => `${Buffer.from(token).toString("base64")} ${rank}`);
  return readVocabulary(Buffer.from(lines.join("\n") + end));
}

function rankOf(vocabulary: Vocabulary, text: string, before = "", after = ""): number {
  const start = Buffer.byteLength(before);
  return vocabulary.rankOf(
    Buffer.from(before + text + after),
    start,
    start + Buffer.byteLength(text),
  );
}

const TOKENS = ["a", "ab", "abc", "b", "é", "天地", "~~~~", "?>?>?", "\0", "\u{10ffff}"];

test("a token of any length is found by its rank, also within a text", () => {
  const vocabulary = new Vocabulary(vocabularyOf(TOKENS));

  const ranks = TOKENS.map((_, rank) => rank);
  expect(TOKENS.map((token) => rankOf(vocabulary, token))).toEqual(ranks);
  expect(TOKENS.map((token) => rankOf(vocabulary, token, "xé", "y"))).toEqual(ranks);
});

test("a text that is no token has no rank", () => {
  const vocabulary = new Vocabulary(vocabularyOf(TOKENS));

  for (const text of ["", "c", "ba", "abcd", "天", "~~~", "a\0"]) {
    expect(rankOf(vocabulary, text)).toBe(NO_RANK);
  }
});

test("thousands of tokens share one table, of which at least half is free", () => {
  const many = Array.from({ length: 2_048 }, (_, at) => `t${at}`);
  const table = vocabularyOf(many);
  const vocabulary = new Vocabulary(table);

  expect(many.every((token, rank) => rankOf(vocabulary, token) === rank)).toBe(true);
  expect(
    Array.from({ length: 2_000 }, (_, at) => `u${at}`).map((text) => rankOf(vocabulary, text)),
  ).toEqual(Array.from({ length: 2_000 }, () => NO_RANK));
  expect(table.slots).toHaveLength(8_192);
  expect(table.slots.filter((slot) => slot !== 0)).toHaveLength(2_048);
});

test("the beginning of many tokens is no token itself", () => {
  const vocabulary = new Vocabulary(
    vocabularyOf(Array.from({ length: 100 }, (_, at) => `aaaaaaaa${at}`)),
  );

  for (let length = 1; length <= 8; length++) {
    expect(rankOf(vocabulary, "a".repeat(length))).toBe(NO_RANK);
  }
});

test("the table is not larger than its tokens need", () => {
  const table = vocabularyOf(["abc", "de", "f"]);

  expect(Buffer.from(table.bytes).toString()).toBe("abcdef");
  expect([...table.ends]).toEqual([3, 5, 6]);
  expect(table.slots).toHaveLength(8);
});

test("the last line of a vocabulary may end without a line feed", () => {
  const vocabulary = new Vocabulary(vocabularyOf(["abc", "de"], ""));

  expect(rankOf(vocabulary, "de")).toBe(1);
});
