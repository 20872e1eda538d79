import { expect, test } from "bun:test";
import type { JsonObject } from "../json.ts";
import { checkSchema } from "./schema-limits.ts";

function refusal(schema: JsonObject): string | undefined {
  try {
    checkSchema(schema, "s");
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

function closed(properties: JsonObject, extra: JsonObject = {}): JsonObject {
  return { type: "object", properties, additionalProperties: false, ...extra };
}

const open = { type: "object" };
const MUST_CLOSE = "s: For 'object' type, 'additionalProperties' must be explicitly set to false";

test.each<[string, JsonObject]>([
  ["no type at all", {}],
  ["a closed object", closed({ a: { type: "string", pattern: "^a$" } })],
  ["a list with at least one entry", { type: "array", minItems: 1, items: { type: "integer" } }],
  ["a list with no least number", { type: "array", minItems: 0 }],
  ["limits that belong to another type", { type: "string", minimum: 1 }],
  ["a type or nothing", { type: ["string", "null"] }],
])("%s is accepted", (_, schema) => {
  expect(refusal(schema)).toBeUndefined();
});

test.each<[string, JsonObject]>([
  ["at the top", open],
  ["said to be open", closed({}, { additionalProperties: true })],
  ["in a property", closed({ a: open })],
  ["in a list", { type: "array", items: open }],
  ["in a branch", { anyOf: [{ type: "string" }, open] }],
  ["in a definition", closed({}, { $defs: { a: open } })],
  ["as one of two types", { type: ["object", "null"] }],
])("an open object is refused: %s", (_, schema) => {
  expect(refusal(schema)).toBe(MUST_CLOSE);
});

test.each<[JsonObject, string]>([
  [
    { type: "number", multipleOf: 2 },
    "s: For 'number' type, property 'multipleOf' is not supported",
  ],
  [
    { type: "integer", minimum: 1, maximum: 2 },
    "s: For 'integer' type, properties 'minimum', 'maximum' are not supported",
  ],
  [{ type: "string", minLength: 1 }, "s: For 'string' type, property 'minLength' is not supported"],
  [{ type: "array", maxItems: 1 }, "s: For 'array' type, property 'maxItems' is not supported"],
  [
    { type: "array", minItems: 2 },
    "s: For 'array' type, 'minItems' values other than 0 or 1 are not supported",
  ],
])("a constraint that the vendor's grammar lacks is refused: %j", (schema, expected) => {
  expect(refusal(closed({ a: schema }))).toBe(expected);
});

test("an endlessly nested schema is refused, and not followed", () => {
  let schema: JsonObject = { type: "string" };
  for (let depth = 0; depth < 10_000; depth++) schema = { type: "array", items: schema };

  expect(refusal(schema)).toBe("s: Schema is too deeply nested.");
});
