import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** A JSON schema that all samples of a value fit: types, and the members that all of them have. */
export function sampleSchema(samples: readonly Json[]): JsonObject {
  const types = [...new Set(samples.map(typeOf))].sort();
  const type = types.length === 1 ? types[0] : types;
  const objects = samples.filter(isObject);
  const items = samples.filter(isArray).flat();
  return {
    ...(type === undefined ? {} : { type }),
    ...(items.length === 0 ? {} : { items: sampleSchema(items) }),
    ...(objects.length === 0 ? {} : membersOf(objects)),
  };
}

function membersOf(objects: readonly JsonObject[]): JsonObject {
  const names = [...new Set(objects.flatMap((each) => Object.keys(each)))];
  const valuesOf = (name: string): readonly Json[] =>
    objects.map((each) => each[name]).filter((value) => value !== undefined);
  const properties = names.map((name) => [name, sampleSchema(valuesOf(name))] as const);
  const required = names.filter((name) => valuesOf(name).length === objects.length);
  return {
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  if (isObject(value)) return "object";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
