import { expect, test } from "bun:test";
import fc from "fast-check";
import { fromJSONSchema } from "zod";
import { readValues } from "../prompt-values.ts";
import { isJsonArray, isJsonObject, type Json } from "@sluice/sandbox/json.ts";
import { SEED, times } from "../../../../test/seed.ts";
import { generateJson } from "./generate.ts";
import { matchesSchema } from "./matches.ts";

const PROMPT =
  'A red circle "Sun" of radius 4.5 for Ada Lovelace in Paris on 2026-05-01, count: 12, see https://example.org/a';

function generated(
  schema: Json,
  fill: "needed" | "all" = "all",
  prompt = PROMPT,
  seed = "x",
): Json {
  return generateJson(schema, { values: readValues(prompt), seed, fill });
}

/** The judge is a library that shares nothing with the generator. */
function conforms(value: Json, schema: object): boolean {
  return fromJSONSchema(JSON.parse(JSON.stringify(schema))).safeParse(value).success;
}

const tree = {
  $defs: {
    node: {
      type: "object",
      properties: {
        label: { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
      },
      required: ["label", "children"],
      additionalProperties: false,
    },
  },
  $ref: "#/$defs/node",
};
const chain = {
  type: "object",
  properties: { value: { type: "integer" }, next: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
  required: ["value", "next"],
  additionalProperties: false,
};
const shape = {
  oneOf: [
    {
      type: "object",
      properties: { kind: { const: "square" }, side: { type: "number", exclusiveMinimum: 0 } },
      required: ["kind", "side"],
      additionalProperties: false,
    },
    {
      type: "object",
      properties: { kind: { const: "circle" }, radius: { type: "number", exclusiveMinimum: 0 } },
      required: ["kind", "radius"],
      additionalProperties: false,
    },
  ],
};

const CASES: readonly (readonly [string, object])[] = [
  ["a text", { type: "string" }],
  ["a long text", { type: "string", minLength: 50 }],
  ["a short text", { type: "string", maxLength: 3 }],
  ["a text of a pattern", { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" }],
  [
    "a pattern with choices and groups",
    { type: "string", pattern: "^(?:left|right)(?:_[a-f0-9]+)?\\.(png|jpe?g)$" },
  ],
  ["a pattern and a length", { type: "string", pattern: "^[a-z]+$", minLength: 12, maxLength: 14 }],
  ...["date-time", "date", "time", "duration", "email", "uri", "ipv4", "ipv6", "uuid"].map(
    (format) => [`a text in the format ${format}`, { type: "string", format }] as const,
  ),
  ["one of a list", { enum: ["blue", "red", 7, null] }],
  ["a constant", { const: "fixed" }],
  ["a whole number", { type: "integer" }],
  ["a whole number within bounds", { type: "integer", minimum: 1_000, maximum: 1_003 }],
  ["a number between open bounds", { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 }],
  ["a multiple", { type: "integer", multipleOf: 7, minimum: 50 }],
  ["a multiple of a fraction", { type: "number", multipleOf: 0.25, minimum: 0.3 }],
  ["a negative number", { type: "number", maximum: -5 }],
  ["a yes or no", { type: "boolean" }],
  ["nothing", { type: "null" }],
  ["a text or nothing", { type: ["string", "null"] }],
  ["a list", { type: "array", items: { type: "string" } }],
  ["a list of a length", { type: "array", items: { type: "integer" }, minItems: 3, maxItems: 4 }],
  [
    "a list without repetitions",
    {
      type: "array",
      items: { type: "integer", minimum: 1, maximum: 5 },
      minItems: 5,
      uniqueItems: true,
    },
  ],
  [
    "a list of all choices",
    { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true },
  ],
  [
    "a list of different texts",
    { type: "array", items: { type: "string" }, minItems: 6, uniqueItems: true },
  ],
  [
    "a tuple",
    {
      type: "array",
      prefixItems: [{ type: "string" }, { type: "number" }],
      items: false,
      minItems: 2,
    },
  ],
  [
    "a list that contains something",
    { type: "array", contains: { const: "x" }, items: { type: "string" } },
  ],
  ["an empty list", { type: "array", maxItems: 0 }],
  ["an empty object", { type: "object", properties: {}, additionalProperties: false }],
  [
    "an object in an object",
    {
      type: "object",
      properties: {
        a: { type: "object", properties: { b: { type: "integer" } }, required: ["b"] },
      },
      required: ["a"],
    },
  ],
  ["a property that is only required", { type: "object", required: ["free"] }],
  ["a map", { type: "object", additionalProperties: { type: "number" }, minProperties: 3 }],
  [
    "a map with keys of a pattern",
    {
      type: "object",
      patternProperties: { "^x_[a-z]{2}$": { type: "integer" } },
      additionalProperties: false,
      minProperties: 2,
    },
  ],
  [
    "an object with few properties",
    { type: "object", properties: { a: {}, b: {}, c: {} }, required: ["c"], maxProperties: 2 },
  ],
  ["one of several shapes", shape],
  [
    "any of several types",
    {
      anyOf: [
        { type: "integer", minimum: 10 },
        { type: "array", items: { type: "boolean" } },
      ],
    },
  ],
  [
    "all of several parts",
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { type: "object", properties: { b: { type: "integer", minimum: 4 } }, required: ["b"] },
      ],
    },
  ],
  [
    "all of several bounds",
    { allOf: [{ type: "integer", minimum: 3 }, { maximum: 9 }, { multipleOf: 4 }] },
  ],
  ["a tree", tree],
  ["a chain", chain],
  ["a shape without a type", { properties: { n: { minimum: 3 } }, required: ["n"] }],
];

test.each(CASES)("%s conforms, as a response and as arguments", (_, schema) => {
  const json: Json = JSON.parse(JSON.stringify(schema));

  for (const fill of ["all", "needed"] as const) {
    for (const prompt of [PROMPT, "", "no -3 'xx' in A, B and C"]) {
      const value = generated(json, fill, prompt);
      expect({ value, fits: conforms(value, schema) }).toEqual({ value, fits: true });
      expect(matchesSchema(value, json)).toBe(true);
    }
  }
});

/** What the judging library does not know, with a judgement written by hand. */
test.each<[string, Json, (value: Json) => boolean]>([
  [
    "draft 7 references",
    { $ref: "#/definitions/a~1b", definitions: { "a/b": { type: "string" } } },
    (value) => typeof value === "string",
  ],
  [
    "a schema with not",
    { type: "integer", minimum: 1, not: { enum: [1, 2, 12] } },
    (value) => Number(value) >= 3 && value !== 12,
  ],
  [
    "a condition",
    // From a text: an object with a property "then" would pass for a promise.
    JSON.parse(
      '{"properties":{"a":{"const":1}},"required":["a"],"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]}}',
    ),
    (value) => isJsonObject(value) && "a" in value && "b" in value,
  ],
  [
    "properties that need each other",
    {
      type: "object",
      properties: { a: { type: "string" } },
      required: ["a"],
      dependentRequired: { a: ["b"] },
    },
    (value) => isJsonObject(value) && "b" in value,
  ],
  [
    "draft 4 open bounds",
    { type: "integer", minimum: 4, exclusiveMinimum: true, maximum: 6, exclusiveMaximum: true },
    (value) => value === 5,
  ],
  [
    "names of a pattern",
    {
      type: "object",
      propertyNames: { pattern: "^k\\d$" },
      additionalProperties: { type: "boolean" },
      minProperties: 2,
    },
    (value) =>
      isJsonObject(value) &&
      Object.entries(value).length >= 2 &&
      Object.entries(value).every(
        ([name, each]) => /^k\d$/.test(name) && typeof each === "boolean",
      ),
  ],
  [
    "items listed in the old way",
    { type: "array", items: [{ type: "integer" }, { type: "string" }], additionalItems: false },
    (value) =>
      isJsonArray(value) &&
      value.length === 2 &&
      typeof value[0] === "number" &&
      typeof value[1] === "string",
  ],
  [
    "a property called __proto__",
    JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}',
    ),
    (value) => Object.hasOwn(Object(value), "__proto__"),
  ],
  [
    "a constant object",
    { const: { a: [1, 2] } },
    (value) => JSON.stringify(value) === '{"a":[1,2]}',
  ],
  [
    "a reference into the properties",
    {
      type: "object",
      properties: { a: { type: "integer" }, b: { $ref: "#/properties/a" } },
      required: ["b"],
    },
    (value) => isJsonObject(value) && Number.isInteger(value["b"]),
  ],
])("%s: conforms", (_, schema, fits) => {
  expect(fits(generated(schema))).toBe(true);
});

test("the prompt's values are used if they fit", () => {
  const schema = {
    type: "object",
    properties: {
      title: { type: "string" },
      author_name: { type: "string" },
      city: { type: "string" },
      date: { type: "string", format: "date" },
      count: { type: "integer" },
      url: { type: "string", format: "uri" },
      color: { enum: ["green", "red"] },
      shape,
    },
    required: ["title", "author_name", "city", "date", "count", "url", "color", "shape"],
  };

  expect(generated(schema)).toEqual({
    title: "Sun",
    author_name: "Ada Lovelace",
    city: "Paris",
    date: "2026-05-01",
    count: 12,
    url: "https://example.org/a",
    color: "red",
    shape: { kind: "circle", radius: 4.5 },
  });
});

test("optional fields are filled as arguments only if the prompt has a value", () => {
  const schema = {
    type: "object",
    properties: {
      count: { type: "integer" },
      color: { enum: ["green", "red"] },
      note: { type: "string" },
    },
  };

  expect(generated(schema, "needed")).toEqual({ count: 12, color: "red" });
  expect(Object.keys(Object(generated(schema, "all")))).toEqual(["count", "color", "note"]);
});

test("a schema that cannot be satisfied, or requires itself, still terminates", () => {
  const endless = { type: "object", properties: { again: { $ref: "#" } }, required: ["again"] };
  const wide = { type: "array", minItems: 900, items: { $ref: "#" } };

  const knots: Json[] = ["oneOf", "anyOf", "allOf"].map((kind) => ({
    [kind]: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }],
  }));

  expect(isJsonObject(generated(endless))).toBe(true);
  expect(knots.map((knot) => JSON.stringify(generated(knot)).length > 0)).toEqual([
    true,
    true,
    true,
  ]);
  expect(isJsonArray(generated(wide))).toBe(true);
  expect(generated({ $ref: "#/nowhere" })).toBeString();
  expect(generated({ type: "string", minLength: 1e12 })).toBeString();
  expect(
    generated({
      enum: Array.from({ length: 100_000 }, (_, each) => each),
      not: { type: "number" },
    }),
  ).toBeNumber();
  expect(generated({ $ref: "#" })).toBeString();
  expect(generated({ type: "string", pattern: "(" })).toBeString();
});

test("a pattern of nested repetitions does not take exponential time", () => {
  expect(
    generated({ type: "string", pattern: `^${"(".repeat(20)}a${")*".repeat(20)}!$` }),
  ).toBeString();
});

test("random schemas get values that conform to them", () => {
  const { schema } = fc.letrec<{ schema: object; leaf: object }>((tie) => ({
    leaf: fc.oneof(
      fc.record({ type: fc.constant("string"), minLength: fc.nat(12) }),
      fc.record({
        type: fc.constant("integer"),
        minimum: fc.integer({ min: -50, max: 50 }),
        maximum: fc.integer({ min: 50, max: 99 }),
      }),
      fc.record({ type: fc.constant("number"), exclusiveMinimum: fc.integer({ min: -9, max: 9 }) }),
      fc.record({
        enum: fc.uniqueArray(fc.oneof(fc.string({ maxLength: 5 }), fc.integer()), {
          minLength: 1,
          maxLength: 4,
        }),
      }),
      fc.constantFrom({ type: "boolean" }, { type: "null" }, { type: ["integer", "null"] }),
    ),
    schema: fc.oneof(
      { maxDepth: 4, depthSize: "small", withCrossShrink: true },
      tie("leaf"),
      fc.record({
        type: fc.constant("array"),
        items: tie("schema"),
        minItems: fc.nat(3),
        maxItems: fc.integer({ min: 3, max: 5 }),
      }),
      fc.record({ anyOf: fc.array(tie("schema"), { minLength: 1, maxLength: 3 }) }),
      fc
        .dictionary(fc.constantFrom("city", "count", "query", "tags", "a"), tie("schema"), {
          maxKeys: 4,
        })
        .map((properties) => ({
          type: "object",
          properties,
          required: Object.keys(properties).slice(1),
          additionalProperties: false,
        })),
    ),
  }));

  fc.assert(
    fc.property(
      schema,
      fc.constantFrom(PROMPT, "", "count: 4 in Rome"),
      fc.string({ maxLength: 3 }),
      (random, prompt, seed) => {
        const json: Json = JSON.parse(JSON.stringify(random));
        expect(conforms(generated(json, "all", prompt, seed), random)).toBe(true);
        expect(conforms(generated(json, "needed", prompt, seed), random)).toBe(true);
      },
    ),
    { seed: SEED, numRuns: times(150, 20_000) },
  );
});
