import { describe, expect, test } from "bun:test";
import { findViolation } from "./find-violation.ts";
import type { Json } from "./json.ts";
import { either, flag, integer, list, number, object, tagged, text, type Rule } from "./rules.ts";

const SECRET = "hunter2";

function problemOf(value: Json, rule: Rule): string | undefined {
  return findViolation(value, rule)?.problem;
}

describe("the reported limit is the one that was exceeded", () => {
  const name = text({ minLength: 3, maxLength: 5 });
  test.each<[Json, Rule, string]>([
    ["ab", name, "is too short: use 3 to 5 characters"],
    ["abcdef", name, "is too long: use 3 to 5 characters, but has 6"],
    ["", name, "must be a string that is not empty"],
    ["", text({ minLength: 1 }), "must be a string that is not empty"],
    ["ab", text({ minLength: 3 }), "is too short: use at least 3 characters"],
    ["abc", text({ maxLength: 2 }), "is too long: use at most 2 characters, but has 3"],
    [
      "abc",
      text({ minLength: 1, maxLength: 2 }),
      "is too long: use at most 2 characters, but has 3",
    ],
    ["abc", text({ minLength: 2, maxLength: 2 }), "is too long: use 2 characters, but has 3"],
    [7, name, "must be a string of 3 to 5 characters, but is 7"],
    ["x", text({ oneOf: ["a", "b"] }), `must be one of 'a', 'b', but is "x"`],
    [11, integer(1, 10), "must be an integer from 1 to 10, but is 11"],
    [1.5, integer(1, 10), "must be an integer from 1 to 10, but is 1.5"],
    ["5", number(1, 10), 'must be a number from 1 to 10, but is "5"'],
    ["no", flag(), 'must be true or false, but is "no"'],
    [[], list(text(), 9, 1), "must be a list of 1 to 9 items, but is a list of 0 items"],
    [[1], object({}), "must be an object, but is a list of 1 items"],
    ["a".repeat(41), flag(), "must be true or false, but is a string of 41 characters"],
  ])("%j", (value, rule, problem) => {
    expect(problemOf(value, rule)).toBe(problem);
  });

  test("a value within its limits is no violation", () => {
    for (const value of ["abc", "abcde"]) expect(findViolation(value, name)).toBeUndefined();
  });
});

describe("a field that may contain a secret is named but never quoted", () => {
  const secret = { isSecret: true } as const;
  const may = { mayHoldSecret: true } as const;
  const rules: readonly Rule[] = [
    text({ minLength: 12, maxLength: 256, ...secret }),
    text({ maxLength: 3, ...secret }),
    text({ oneOf: ["a"], ...secret }),
    { ...text({ oneOf: ["a"] }), ...may },
    { ...integer(0, 1), ...secret },
    { ...flag(), ...secret },
    { ...list(text(), 9), ...secret },
    { ...object({}), ...may },
    { ...list(text({ minLength: 1, maxLength: 3 }), 9), ...may },
    { ...either(text({ maxLength: 3 }), number(0, 1)), ...secret },
    either(text({ maxLength: 3, ...secret }), number(0, 1)),
    either(number(0, 1), { ...flag(), ...secret }),
    { ...object({ inner: text({ oneOf: ["a"] }) }), ...secret },
    { ...tagged("inner", { a: object({}) }, { closed: true }), ...secret },
  ];
  const values: readonly Json[] = [
    SECRET,
    [SECRET],
    { inner: SECRET },
    [[SECRET]],
    20_241_123,
    [20_241_123],
    { inner: 20_241_123 },
  ];

  test.each(rules.map((rule) => [rule.is, rule] as const))("%s", (_, rule) => {
    const problems = values.flatMap((value) => problemOf(value, rule) ?? []);

    expect(problems).not.toEqual([]);
    expect(problems.join()).not.toMatch(/hunter2|20241123/);
  });

  test("its length is not reported either if it is too long", () => {
    expect(problemOf("12345", text({ maxLength: 3, isSecret: true }))).toBe(
      "is too long: use at most 3 characters",
    );
  });

  test("the field next to it is quoted", () => {
    const rule = object({ password: text({ isSecret: true }), role: text({ oneOf: ["user"] }) });

    expect(problemOf({ password: SECRET, role: "usr" }, rule)).toContain('"usr"');
  });
});
