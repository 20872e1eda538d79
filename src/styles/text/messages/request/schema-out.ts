import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf } from "#lib/values.ts";

/** Keywords that the vendor's constrained writing does not know, and refuses. */
const UNKNOWN = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const SINGLE = ["items", "not", "if", "then", "else"];
const LISTED = ["anyOf", "allOf", "oneOf", "prefixItems"];
const NAMED = ["properties", "$defs", "definitions"];

/**
 * A schema for an answer as vendors take it: objects are closed, and bounds,
 * which cannot be enforced, stand where the model can read them.
 * https://docs.claude.com/en/docs/build-with-claude/structured-outputs
 */
export function fitSchema(schema: JsonObject): JsonObject {
  const fit: Record<string, Json> = {};
  const bounds: string[] = [];
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || name === "__proto__") continue;
    if (isBound(name, value)) {
      bounds.push(`${name}: ${JSON.stringify(value)}`);
    } else fit[name] = fitKeyword(name, value);
  }
  if (bounds.length > 0) {
    const said = typeof schema["description"] === "string" ? [schema["description"]] : [];
    fit["description"] = [...said, `{${bounds.join(", ")}}`].join("\n\n");
  }
  if (isObjectSchema(schema)) fit["additionalProperties"] = false;
  return fit;
}

/** Whether some of its bounds can only be read, and not enforced. */
export function hasBounds(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const isBounded = Object.entries(schema).some(([name, value = null]) => isBound(name, value));
  return isBounded || partsOf(schema).some(hasBounds);
}

function isBound(name: string, value: Json): boolean {
  return UNKNOWN.includes(name) || (name === "minItems" && value !== 0 && value !== 1);
}

/**
 * Whether some object in it may have members of any name, as in a map from
 * names to values: closed, it could only ever be empty.
 */
export function isOpen(schema: Json): boolean {
  if (!isObject(schema)) return false;
  if (isObject(schema["additionalProperties"]) || isObject(schema["patternProperties"]))
    return true;
  if (isObjectSchema(schema) && !namesMembers(schema)) return true;
  return partsOf(schema).some(isOpen);
}

/** The schemas within it. */
function partsOf(schema: JsonObject): readonly Json[] {
  return [
    ...SINGLE.map((name) => schema[name]),
    ...LISTED.flatMap((name) => listOf(schema[name])),
    ...NAMED.flatMap((name) => Object.values(objectOf(schema[name]) ?? {})),
  ].filter((one) => one !== undefined);
}

/** Itself, or by what it is combined of; or it says that it has none. */
function namesMembers(schema: JsonObject): boolean {
  const { properties, additionalProperties } = schema;
  const isCombined = ["$ref", "anyOf", "allOf", "oneOf"].some((name) => name in schema);
  const isNamed = isObject(properties) && Object.keys(properties).length > 0;
  return isNamed || isCombined || additionalProperties === false;
}

function fitKeyword(name: string, value: Json): Json {
  if (SINGLE.includes(name)) return fitOne(value);
  if (LISTED.includes(name) && isArray(value)) return value.map(fitOne);
  if (!NAMED.includes(name) || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, one === undefined ? one : fitOne(one)]),
  );
}

function fitOne(schema: Json): Json {
  return isObject(schema) ? fitSchema(schema) : schema;
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === "object" || (isArray(type) && type.includes("object")) || isObject(properties);
}
