import { describe, expect, test } from "bun:test";
import { LinearPattern, StepLimitExceeded } from "#lib/linear-pattern.ts";
import { Redactor } from "./redactor.ts";

function redactor(...patterns: readonly string[]): Redactor {
  const rules = {
    kinds: ["email"] as const,
    patterns: patterns.map((source) => new LinearPattern(source)),
  };
  return new Redactor(rules, 10_000);
}

test("a text without anything to redact is the same text", () => {
  const parts = ["one", "two"];

  expect(redactor("three").redactJoined(parts)).toBe(parts);
});

test("the shortest e-mail address is redacted", () => {
  expect(redactor().redact("a@b.co")).toBe("[email]");
});

describe("texts that several patterns match are redacted", () => {
  test("in their order in the text", () => {
    expect(redactor("c+", "a+").redact("aa b cc")).toBe("[redacted] b [redacted]");
  });

  test("each for itself, if they only touch", () => {
    expect(redactor("a+", "b+").redact("aabb")).toBe("[redacted][redacted]");
  });

  test("as one, if they overlap, or one is within the other", () => {
    expect(redactor("abc", "bcd").redact("abcde")).toBe("[redacted]e");
    expect(redactor("bc", "abcd").redact("abcde")).toBe("[redacted]e");
    expect(redactor("abcd", "cd").redact("abcde")).toBe("[redacted]e");
  });

  test("with the label of the longest that begins there", () => {
    expect(redactor("ada").redact("ada@example.com")).toBe("[email]");
    expect(redactor("ada@example.com and").redact("ada@example.com and")).toBe("[redacted]");
  });
});

describe("of parts of one text", () => {
  test("each keeps its place, and the label stands where the redacted text begins", () => {
    expect(redactor().redactJoined(["by a", "da@", "example", ".com!"])).toEqual([
      "by [email]",
      "",
      "",
      "!",
    ]);
  });

  test("only those are changed that hold a redacted text", () => {
    expect(redactor("cd").redactJoined(["ab", "cd", "ef"])).toEqual(["ab", "[redacted]", "ef"]);
  });

  test("a part may hold several", () => {
    expect(redactor("x").redactJoined(["axb", "xcx"])).toEqual([
      "a[redacted]b",
      "[redacted]c[redacted]",
    ]);
  });
});

test("all texts of a call share one limit of steps", () => {
  const shared = redactor("x+y");
  const text = `${"x".repeat(50)} `;
  let redacted = 0;

  expect(() => {
    for (; redacted < 1_000; redacted++) shared.redact(text);
  }).toThrow(StepLimitExceeded);

  expect(redacted).toBeGreaterThan(0);
});
