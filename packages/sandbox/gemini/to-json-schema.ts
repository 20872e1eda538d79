import type { Json, JsonObject } from "../json.ts";
import type { Schema } from "./proto/schema.ts";

/** The vendor's own schema in the words of JSON Schema, which the engine knows. */
export function toJsonSchema(schema: Schema): JsonObject {
  const { type, nullable, items, properties, anyOf, required, example, ...others } = schema;
  const { propertyOrdering: _ordering, ...plain } = others;
  const names = orderOf(schema);
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(plain)) if (value !== undefined) kept[name] = value;
  return {
    ...kept,
    ...(type === undefined || type === "TYPE_UNSPECIFIED" ? {} : { type: type.toLowerCase() }),
    ...(nullable === true ? { nullable } : {}),
    ...(example === undefined ? {} : { examples: [example] }),
    ...(items === undefined ? {} : { items: toJsonSchema(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(toJsonSchema) }),
    ...(required === undefined
      ? {}
      : { required: names.filter((each) => required.includes(each)) }),
    ...(properties === undefined ? {} : { properties: inOrder(properties, names) }),
  };
}

/** Answers list their properties in the order that was asked for, or in which they were declared. */
function orderOf({ properties = {}, propertyOrdering = [] }: Schema): readonly string[] {
  return [...new Set([...propertyOrdering, ...Object.keys(properties)])];
}

function inOrder(
  properties: NonNullable<Schema["properties"]>,
  names: readonly string[],
): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return property === undefined ? [] : [[name, toJsonSchema(property)] as const];
    }),
  );
}
