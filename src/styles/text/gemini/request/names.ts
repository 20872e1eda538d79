import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { camelCase } from "#lib/letter-case.ts";

/**
 * A body with every member's name in the one spelling that the rest of the
 * style reads. Servers of this style take `max_output_tokens` as well as
 * `maxOutputTokens`, and clients send both. Names inside the caller's own JSON
 * are theirs.
 */
export function camelized(body: JsonObject): JsonObject {
  return renamed(body, valueOf);
}

/** Values that only the caller and their tools give a meaning to. */
const OPAQUE: ReadonlySet<string> = new Set([
  "args",
  "response",
  "parametersJsonSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
  "labels",
  "headers",
]);
const SCHEMAS: ReadonlySet<string> = new Set(["parameters", "responseSchema"]);

function valueOf(name: string, value: Json): Json {
  if (OPAQUE.has(name)) return value;
  return each(value, (one) => renamed(one, SCHEMAS.has(name) ? schemaValue : valueOf));
}

const SCHEMA_DATA: ReadonlySet<string> = new Set(["default", "example", "enum"]);

/** In a schema the names of properties are the caller's, and those around them the style's. */
function schemaValue(name: string, value: Json): Json {
  if (SCHEMA_DATA.has(name)) return value;
  if (name !== "properties" || !isObject(value)) {
    return each(value, (one) => renamed(one, schemaValue));
  }
  return Object.fromEntries(
    Object.entries(value).map(([property, schema]) => [
      property,
      isObject(schema) ? renamed(schema, schemaValue) : schema,
    ]),
  );
}

function renamed(value: JsonObject, inside: (name: string, value: Json) => Json): JsonObject {
  const out: Record<string, Json> = {};
  for (const written in value) {
    const member = value[written];
    const name = camelCase(written);
    // Where both are there, the style's own spelling counts.
    if (member === undefined || name === "__proto__") continue;
    if (name !== written && value[name] !== undefined) continue;
    out[name] = inside(name, member);
  }
  return out;
}

function each(value: Json, rename: (value: JsonObject) => JsonObject): Json {
  if (isArray(value)) return value.map((one) => each(one, rename));
  return isObject(value) ? rename(value) : value;
}
