import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** Finds the schema that a `$ref` names. */
export type Resolve = (ref: string) => Json;

/**
 * Holds a value to a JSON schema: the part of the language that the API
 * documents of this field use, so that no whole validator is needed. Says
 * where the first disagreement is; `undefined` where there is none.
 */
export function disagreement(
  value: Json,
  schema: Json,
  resolve: Resolve,
  path = "$",
): string | undefined {
  if (!isObject(schema)) return schema === false ? `${path} must not be` : undefined;
  // Before the reference: documents of the older kind write the two side by side.
  if (schema["nullable"] === true && value === null) return undefined;
  if (typeof schema["$ref"] === "string") {
    return disagreement(value, resolve(schema["$ref"]), resolve, path);
  }
  for (const check of CHECKS) {
    const found = check(value, schema, resolve, path);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Check = (
  value: Json,
  schema: JsonObject,
  resolve: Resolve,
  path: string,
) => string | undefined;

const CHECKS: readonly Check[] = [
  checkType,
  checkWords,
  checkRange,
  checkObject,
  checkList,
  checkChoices,
];

function checkType(
  value: Json,
  schema: JsonObject,
  _resolve: Resolve,
  path: string,
): string | undefined {
  const { type } = schema;
  if (type === undefined) return undefined;
  const allowed = isArray(type) ? type : [type];
  const actual = typeOf(value);
  const fits = allowed.includes(actual) || (actual === "integer" && allowed.includes("number"));
  return fits ? undefined : `${path} is ${actual}, not ${JSON.stringify(type)}`;
}

function checkWords(
  value: Json,
  schema: JsonObject,
  _resolve: Resolve,
  path: string,
): string | undefined {
  const words = isArray(schema["enum"])
    ? schema["enum"]
    : "const" in schema
      ? [schema["const"]]
      : undefined;
  if (words === undefined || words.includes(value)) return undefined;
  return `${path} is ${JSON.stringify(value)}, not one of ${JSON.stringify(words)}`;
}

function checkRange(
  value: Json,
  schema: JsonObject,
  _resolve: Resolve,
  path: string,
): string | undefined {
  const size =
    typeof value === "number"
      ? value
      : typeof value === "string" || isArray(value)
        ? value.length
        : 0;
  const [low, high] =
    typeof value === "number"
      ? ["minimum", "maximum"]
      : isArray(value)
        ? ["minItems", "maxItems"]
        : ["minLength", "maxLength"];
  if (isObject(value) || value === null || typeof value === "boolean") return undefined;
  const min = schema[low ?? ""];
  const max = schema[high ?? ""];
  if (typeof min === "number" && size < min) return `${path} is below ${min}`;
  return typeof max === "number" && size > max ? `${path} is above ${max}` : undefined;
}

function checkObject(
  value: Json,
  schema: JsonObject,
  resolve: Resolve,
  path: string,
): string | undefined {
  if (!isObject(value)) return undefined;
  const { properties, required, additionalProperties } = schema;
  for (const name of isArray(required) ? required : []) {
    if (typeof name === "string" && value[name] === undefined) return `${path}.${name} is missing`;
  }
  for (const [name, member] of Object.entries(value)) {
    const known =
      isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const memberSchema = known ?? additionalProperties;
    if (member === undefined || memberSchema === undefined) continue;
    const found = disagreement(member, memberSchema, resolve, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkList(
  value: Json,
  schema: JsonObject,
  resolve: Resolve,
  path: string,
): string | undefined {
  const { items } = schema;
  if (!isArray(value) || items === undefined) return undefined;
  for (const [index, item] of value.entries()) {
    const found = disagreement(item, items, resolve, `${path}[${index}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

function checkChoices(
  value: Json,
  schema: JsonObject,
  resolve: Resolve,
  path: string,
): string | undefined {
  if (
    schema["not"] !== undefined &&
    disagreement(value, schema["not"], resolve, path) === undefined
  ) {
    return `${path} is what it must not be`;
  }
  for (const each of isArray(schema["allOf"]) ? schema["allOf"] : []) {
    const found = disagreement(value, each, resolve, path);
    if (found !== undefined) return found;
  }
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (!isArray(choices)) return undefined;
  const found = choices.map((each) => disagreement(value, each, resolve, path));
  return found.includes(undefined) ? undefined : found.join("; or ");
}

function typeOf(value: Json): string {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}
