import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/**
 * JSON schema out of the style's own schema, which is the one of an older API
 * description format: types in capitals or by their number, `nullable` beside
 * them, and counts that may be strings.
 */
export function fromSchemaSubset(schema: JsonObject): JsonObject {
  const out: Record<string, Json> = {};
  for (const name in schema) {
    const value = schema[name];
    if (value === undefined || value === null || LEFT_OUT.has(name)) continue;
    out[name] = memberOf(name, value);
  }
  const type = typeIn(out["type"]);
  if (type === undefined) delete out["type"];
  else out["type"] = schema["nullable"] === true ? orNull(type) : type;
  // Some writers mark an enumeration as a format, which JSON schema does not.
  if (out["format"] === "enum") delete out["format"];
  if (schema["nullable"] === true && isArray(out["anyOf"])) {
    out["anyOf"] = [...out["anyOf"], { type: "null" }];
  }
  return out;
}

const LEFT_OUT: ReadonlySet<string> = new Set(["nullable", "propertyOrdering", "example"]);
const COUNTS: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
]);

function memberOf(name: string, value: Json): Json {
  if (COUNTS.has(name) && typeof value === "string") return Number(value);
  switch (name) {
    case "items":
    case "additionalProperties":
      return isObject(value) ? fromSchemaSubset(value) : value;
    case "anyOf":
      return isArray(value)
        ? value.map((one) => (isObject(one) ? fromSchemaSubset(one) : one))
        : value;
    case "properties":
      return isObject(value)
        ? Object.fromEntries(
            Object.entries(value).map(([key, one]) => [
              key,
              isObject(one) ? fromSchemaSubset(one) : one,
            ]),
          )
        : value;
    default:
      return value;
  }
}

function orNull(type: Json): Json {
  return typeof type === "string" && type !== "null" ? [type, "null"] : type;
}

/** As the wire counts them; the first says nothing. */
const TYPES = [
  "type_unspecified",
  "string",
  "number",
  "integer",
  "boolean",
  "array",
  "object",
  "null",
];

function typeIn(written: Json | undefined): Json | undefined {
  const type = typeof written === "number" ? (TYPES[written] ?? TYPES[0]) : written;
  const small = typeof type === "string" ? type.toLowerCase() : type;
  return small === TYPES[0] ? undefined : small;
}
