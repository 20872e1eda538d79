import { expect, test } from "bun:test";
import { findViolation } from "./find-violation.ts";
import { schemaOf } from "./rule-schema.ts";
import { either, flag, integer, list, number, object, text } from "./rules.ts";
import { objectRuleOf, ruleOf } from "./schema-rule.ts";

const RULE = object({
  "name!": text({ minLength: 1, maxLength: 9 }),
  kind: text({ oneOf: ["a", "b"] }),
  count: integer(1, 5),
  share: either(number(0, 1), text({ maxLength: 4 })),
  isOn: flag(),
  secret: { ...text({ minLength: 8 }), isSecret: true },
  parts: list(object({ "id!": integer(0, 9) }), 2, 1),
});

test.each([
  {},
  { name: "" },
  { name: "far too long" },
  { name: 5 },
  { name: "x", kind: "c" },
  { name: "x", count: 2.5 },
  { name: "x", count: null },
  { name: "x", share: true },
  { name: "x", share: "0.25000" },
  { name: "x", isOn: "yes" },
  { name: "x", secret: "short" },
  { name: "x", secret: 12_345_678 },
  { name: "x", parts: [] },
  { name: "x", parts: [{ id: 1 }, {}] },
])("the rule read from a rule's schema reports %j with the same message", (body) => {
  expect(findViolation(body, objectRuleOf(schemaOf(RULE)))).toEqual(findViolation(body, RULE));
});

test("a type that may be null is the rule of the type", () => {
  expect(ruleOf({ type: ["number", "null"], minimum: 1, maximum: 2 })).toEqual({
    is: "number",
    min: 1,
    max: 2,
  });
});

test("a value that may hold a secret is named and not quoted", () => {
  const rule = objectRuleOf({
    type: "object",
    properties: { url: { type: "string", "x-sensitive": true } },
  });

  expect(findViolation({ url: 1234 }, rule)?.problem).toBe("must be a string, but is a number");
});

test("a schema that allows anything is no rule, and its member passes", () => {
  expect(ruleOf({ description: "Anything." })).toBeUndefined();
  const rule = objectRuleOf({ type: "object", properties: { any: {} } });

  expect(findViolation({ any: [1, { x: null }] }, rule)).toBeUndefined();
});
