import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";

/**
 * The schema with every object closed, as the vendor makes those strict that
 * do not say; `undefined` where an object has optional or free properties, so
 * that closing it would change what it means.
 */
export function closedSchema(schema: JsonObject): JsonObject | undefined {
  if (schema["type"] !== "object") return undefined;
  try {
    return closeObject(schema, 0);
  } catch (cause) {
    if (cause instanceof CannotBeClosed) return undefined;
    throw cause;
  }
}

class CannotBeClosed extends Error {}

const MAX_DEPTH = 100;

function closeObject(node: JsonObject, depth: number): JsonObject {
  const { type, properties, required, additionalProperties } = node;
  const isObject = type === "object" || isJsonObject(properties);
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  const listed = isJsonArray(required) ? required : [];
  const isFree = additionalProperties !== undefined && additionalProperties !== false;
  if (depth > MAX_DEPTH || (isObject && (isFree || names.some((name) => !listed.includes(name)))))
    throw new CannotBeClosed();

  const parts = Object.entries(node).map(([key, value]): [string, Json] => {
    if (NAMED.includes(key) && isJsonObject(value)) return [key, closeEach(value, depth)];
    return [key, SCHEMAS.includes(key) ? close(value, depth) : value];
  });
  return { ...Object.fromEntries(parts), ...(isObject ? { additionalProperties: false } : {}) };
}

const NAMED: readonly string[] = ["properties", "$defs", "definitions"];
const SCHEMAS: readonly string[] = ["items", "prefixItems", "anyOf", "oneOf", "allOf", "not"];

function closeEach(map: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, value]) => [name, close(value, depth)]),
  );
}

function close(value: Json, depth: number): Json {
  if (isJsonArray(value)) return value.map((each) => close(each, depth + 1));
  return isJsonObject(value) ? closeObject(value, depth + 1) : value;
}
