import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/**
 * JSON schema out of the style's own schema, which is the one of an older API
 * description format: types in capitals, `nullable` beside them, and counts
 * that may be strings.
 */
export function fromSchemaSubset(schema: JsonObject): JsonObject {
  const out: Record<string, Json> = {};
  for (const name in schema) {
    const value = schema[name];
    if (value === undefined || value === null || LEFT_OUT.has(name)) continue;
    out[name] = memberOf(name, value);
  }
  if (typeof out["type"] === "string") out["type"] = typeOf(out["type"], schema["nullable"]);
  if (out["type"] === "type_unspecified") delete out["type"];
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

function typeOf(type: string, nullable: Json | undefined): Json {
  const small = type.toLowerCase();
  return nullable === true ? [small, "null"] : small;
}
