import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { SEED, times } from "#test/seed.ts";
import { fromSchemaSubset } from "./request/schema-in.ts";
import { toSchemaSubset } from "./request/schema-subset.ts";

describe("[A4.3-09] a JSON schema for models that support a subset", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "an object",
      {
        $schema: "x",
        type: "object",
        properties: { a: { type: "string", description: "d" } },
        required: ["a", "gone"],
        additionalProperties: false,
      },
      {
        type: "OBJECT",
        properties: { a: { type: "STRING", description: "d" } },
        required: ["a"],
      },
    ],
    ["a reference", { $ref: "#/$defs/a", $defs: { a: { type: "integer" } } }, { type: "INTEGER" }],
    [
      "a reference with members beside it",
      { $ref: "#/$defs/a", description: "d", $defs: { a: { type: "integer" } } },
      { type: "INTEGER", description: "d" },
    ],
    ["a reference to nothing", { $ref: "#/nowhere" }, {}],
    ["a constant", { const: "x" }, { type: "STRING", enum: ["x"] }],
    ["numbers to choose from", { enum: [1, "b", null] }, { type: "STRING", enum: ["1", "b"] }],
    ["something or null", { type: ["string", "null"] }, { type: "STRING", nullable: true }],
    [
      "several types",
      { type: ["string", "number"] },
      { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
    ],
    [
      "one of several",
      { oneOf: [{ type: "string" }, { type: "boolean" }] },
      { anyOf: [{ type: "STRING" }, { type: "BOOLEAN" }] },
    ],
    [
      "all of several",
      {
        allOf: [
          { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
          { properties: { b: { type: "number" } }, required: ["b"] },
        ],
      },
      {
        type: "OBJECT",
        properties: { a: { type: "STRING" }, b: { type: "NUMBER" } },
        required: ["a", "b"],
      },
    ],
    [
      "bounds",
      { type: "number", exclusiveMinimum: 0, maximum: 5, multipleOf: 2 },
      { type: "NUMBER", minimum: 0, maximum: 5 },
    ],
    [
      "formats",
      { type: "array", items: { type: "string", format: "uri" }, uniqueItems: true, minItems: 1 },
      { type: "ARRAY", items: { type: "STRING" }, minItems: 1 },
    ],
    [
      "a known format",
      { type: "string", format: "date-time" },
      { type: "STRING", format: "date-time" },
    ],
    [
      "places of a list",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
      { type: "ARRAY", items: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] } },
    ],
  ])("%s", (_what, schema, expected) => {
    expect(toSchemaSubset(schema)).toEqual(expected);
  });

  test("that contains itself is cut at some depth", () => {
    const tree = {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          type: "object",
          properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } },
          allOf: [{ $ref: "#/$defs/node" }],
        },
      },
    };

    expect(JSON.stringify(toSchemaSubset(tree)).length).toBeLessThan(1_000_000);
    expect(toSchemaSubset({ $ref: "#" })).toBeDefined();
    expect(toSchemaSubset({ allOf: Array(50).fill({ $ref: "#" }) })).toBeDefined();
    const wide = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`p${at}`, { $ref: "#" }]),
    );
    expect(JSON.stringify(toSchemaSubset({ properties: wide })).length).toBeLessThan(1_000_000);
  });

  test("has nothing left that a server would refuse, for any input", () => {
    const schemas = fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => ({ type: "object", properties: value }));
    fc.assert(
      fc.property(schemas, (schema) => {
        expect(strangers(toSchemaSubset(schema as JsonObject))).toEqual([]);
      }),
      { seed: SEED, numRuns: times(200, 5_000) },
    );
  });
});

const KNOWN = [
  "type format title description nullable default enum items minItems maxItems properties",
  "propertyOrdering required minProperties maxProperties minLength maxLength pattern anyOf minimum maximum",
]
  .join(" ")
  .split(" ");

function strangers(schema: JsonObject): readonly string[] {
  const { properties, items, anyOf } = schema;
  const inner: Json[] = [
    ...(isObject(properties) ? Object.values(properties).map((one) => one ?? null) : []),
    ...(isArray(anyOf) ? anyOf : []),
    items ?? null,
  ];
  return [
    ...Object.keys(schema).filter((name) => !KNOWN.includes(name)),
    ...inner.filter(isObject).flatMap(strangers),
  ];
}

describe("[A4.7-a] the style's own schema, as other styles write it", () => {
  test("has types in lower case, null as a type, and counts as numbers", () => {
    expect(
      fromSchemaSubset({
        type: "OBJECT",
        properties: {
          a: { type: "STRING", format: "enum", enum: ["x"], nullable: true },
          b: { type: "ARRAY", items: { type: "TYPE_UNSPECIFIED" }, minItems: "2" },
          c: { anyOf: [{ type: "STRING" }], nullable: true },
          type: { type: "INTEGER", format: "int64" },
        },
        required: ["a"],
        propertyOrdering: ["a", "b"],
        example: {},
      }),
    ).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"], enum: ["x"] },
        b: { type: "array", items: {}, minItems: 2 },
        c: { anyOf: [{ type: "string" }, { type: "null" }] },
        type: { type: "integer", format: "int64" },
      },
      required: ["a"],
    });
  });

  test("types may be written as their numbers", () => {
    expect(
      fromSchemaSubset({
        type: 6,
        properties: {
          a: { type: 1, nullable: true },
          b: { type: 5, items: { anyOf: [{ type: 2 }, { type: 3 }, { type: 4 }, { type: 7 }] } },
          c: { type: 0 },
          d: { type: 8 },
        },
      }),
    ).toEqual({
      type: "object",
      properties: {
        a: { type: ["string", "null"] },
        b: {
          type: "array",
          items: {
            anyOf: [{ type: "number" }, { type: "integer" }, { type: "boolean" }, { type: "null" }],
          },
        },
        c: {},
        d: {},
      },
    });
  });

  test.each<[string, Json, Json]>([
    ["null already", "NULL", "null"],
    ["several types already", ["string", "null"], ["string", "null"]],
  ])("mentions null once: %s", (_what, type, expected) => {
    expect(fromSchemaSubset({ type, nullable: true })).toEqual({ type: expected });
  });

  test("has the same meaning after both conversions", () => {
    const schema = {
      type: "OBJECT",
      properties: { a: { type: "STRING", nullable: true }, b: { anyOf: [{ type: "NUMBER" }] } },
      required: ["b"],
    };

    expect(toSchemaSubset(fromSchemaSubset(schema))).toEqual(schema);
  });
});
