import { expect, test } from "bun:test";
import fc from "fast-check";
import { fromJSONSchema } from "zod";
import type { Json } from "@sluice/sandbox/json.ts";
import { SEED, times } from "../../../../test/seed.ts";
import { matchesSchema } from "./matches.ts";

test.each<[Json, Json, boolean]>([
  [5, { oneOf: [{ type: "integer" }, { type: "number" }] }, false],
  [5.5, { oneOf: [{ type: "integer" }, { type: "number" }] }, true],
  ["a", { not: { type: "string" } }, false],
  [{ a: 1 }, { const: { a: 1 } }, true],
  [{ b: 2, a: 1 }, { enum: [{ a: 1, b: 2 }] }, true],
  ["👋👋", { maxLength: 2 }, true],
  [0.3, { multipleOf: 0.1 }, true],
  [0.35, { multipleOf: 0.1 }, false],
  [null, { type: "string", nullable: true }, true],
  [{ x: 1 }, { properties: { a: {} }, additionalProperties: false }, false],
  [{ toString: 1 }, { properties: { a: {} }, additionalProperties: false }, false],
  [1, false, false],
])("%j against %j: %p", (value, schema, expected) => {
  expect(matchesSchema(value, schema)).toBe(expected);
});

test("the result equals that of a library, for random values and random schemas", () => {
  const name = fc.constantFrom("a", "b", "c");
  const { schema } = fc.letrec<{ schema: object }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.record({
        type: fc.constant("string"),
        minLength: fc.nat(3),
        maxLength: fc.integer({ min: 2, max: 5 }),
      }),
      fc.record({
        type: fc.constantFrom("integer", "number"),
        minimum: fc.integer({ min: -3, max: 3 }),
        exclusiveMaximum: fc.integer({ min: -1, max: 9 }),
      }),
      fc.record({
        enum: fc.array(fc.oneof(fc.integer({ min: 0, max: 3 }), name), {
          minLength: 1,
          maxLength: 3,
        }),
      }),
      fc.constantFrom({ type: "boolean" }, { type: "null" }, { type: ["string", "null"] }),
      fc.record({
        type: fc.constant("array"),
        items: tie("schema"),
        minItems: fc.nat(2),
        maxItems: fc.integer({ min: 1, max: 3 }),
      }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc
        .tuple(fc.dictionary(name, tie("schema"), { maxKeys: 3 }), fc.boolean())
        .map(([properties, additionalProperties]) => ({
          type: "object",
          properties,
          required: Object.keys(properties).slice(1),
          additionalProperties,
        })),
    ),
  }));
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: "small" },
      fc.constantFrom<Json>(null, true, "", "a", "b", "long text", 0, 1, 2, 2.5, -3),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    ),
  }));

  fc.assert(
    fc.property(schema, value, (random, json) => {
      const plain: Json = JSON.parse(JSON.stringify(random));
      const judge = fromJSONSchema(JSON.parse(JSON.stringify(random)));
      expect(matchesSchema(json, plain)).toBe(judge.safeParse(json).success);
    }),
    { seed: SEED, numRuns: times(1_000, 50_000) },
  );
});
