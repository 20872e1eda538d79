import { describe, expect, test } from "bun:test";
import { LinearPattern, StepBudget, StepLimitExceeded } from "./linear-pattern.ts";
import { PatternError } from "./parse-pattern.ts";

function matchesOf(source: string, text: string): readonly string[] {
  const spans = new LinearPattern(source).findAll(text, new StepBudget(10_000_000));
  return spans.map(({ start, end }) => text.slice(start, end));
}

describe("a pattern finds the same texts as a regular expression of the language", () => {
  const TEXT =
    "Order AB-1042 of customer-7, ab-1043, x@y.de; DE89 3704 0044.\nline 2 äöü 日本 a-b_c";
  for (const source of [
    String.raw`[A-Z]{2}-\d{4}`,
    String.raw`customer-\d+`,
    String.raw`\w+@\w+\.de`,
    String.raw`DE\d{2}(?: \d{4}){1,4}`,
    String.raw`(?:Order|line) \w+`,
    String.raw`[^\s,;]+-[^\s,;]*`,
    String.raw`\d`,
    "[äöü]+|日.",
    String.raw`\S+\.`,
    String.raw`a-b_?c?`,
    String.raw`\x41B|\u65e5`,
    String.raw`\b\d{4}\b`,
    String.raw`\bo[a-z]+`,
    "(a|ab)(c|-1)",
  ]) {
    test(source, () => {
      const expected = TEXT.match(new RegExp(source, "g")) ?? [];

      expect(expected.length).toBeGreaterThan(0);
      expect(matchesOf(source, TEXT)).toEqual([...expected]);
    });
  }

  test("of a choice, the longest match counts", () => {
    expect(matchesOf("a|abc", "abcd")).toEqual(["abc"]);
  });

  test("letters of both cases with (?i)", () => {
    expect(matchesOf("(?i)order [a-z]{2}", TEXT)).toEqual(["Order AB"]);
  });
});

describe("an invalid pattern is refused with a reason", () => {
  for (const [source, reason] of [
    ["(a", "has a '(' without a ')'"],
    ["a)", "has a ')' without a '('"],
    ["[a", "has a '[' without a ']'"],
    ["*a", "has a '*' with nothing before it"],
    ["a{2", String.raw`has a '{' that is no quantifier; write '\{'`],
    ["a{9,2}", "has a quantifier that is not from 0 to 500"],
    ["a**", "has two quantifiers in a row"],
    ["^a", String.raw`has a '^', which is not supported; write '\^' for the character`],
    ["(?=a)", "has a look-around or a named group, which are not supported"],
    [String.raw`(a)\1`, String.raw`has '\1', which is not supported`],
    ["a*", "matches an empty text"],
    ["[z-a]", "has a range in brackets that is out of order"],
    ["(?:(?:a{400}){400}){400}", "is too large"],
    ["", "matches an empty text"],
    ["a\\", String.raw`ends with a '\'`],
  ] as const) {
    test(source, () => {
      let message = "";
      try {
        new LinearPattern(source);
      } catch (cause) {
        if (cause instanceof PatternError) message = cause.message;
      }

      expect(message).toBe(reason);
    });
  }
});

describe("a search takes a bounded number of steps", () => {
  test("if a backtracking search would take years", () => {
    const pattern = new LinearPattern("(?:a+)+b");

    expect(pattern.findAll("a".repeat(2_000), new StepBudget(3_000_000))).toEqual([]);
  });

  test("and fails if the text needs more than its budget", () => {
    const pattern = new LinearPattern("a+b");

    expect(() => pattern.findAll("a".repeat(100_000), new StepBudget(1_000_000))).toThrow(
      StepLimitExceeded,
    );
  });

  test("with a pattern whose automaton has too many states to keep", () => {
    const pattern = new LinearPattern("(?:a|b)*a(?:a|b){12}c");
    const text = Array.from({ length: 3_000 }, (_, at) => ((at * 7919) % 13 < 6 ? "a" : "b"));

    const found = pattern.findAll(`${text.join("")}c`, new StepBudget(100_000_000));

    expect(found.length).toBeLessThanOrEqual(1);
  });
});
