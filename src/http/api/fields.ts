import { z } from "zod";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";
import { jsonSchemaOf, unread } from "../schema.ts";

/** A field that may be left out or be null, which says the same. */
export function optional<S extends z.ZodType>(schema: S) {
  return schema.nullish().transform((value) => value ?? undefined);
}

/** Read-only fields of an answer: a client may send them back, and they are ignored. */
export function shownOnly<N extends string>(names: readonly N[]) {
  const ignored = z.unknown().meta({ readOnly: true, description: "Ignored." }).optional();
  // The compiler widens computed names to any text.
  return Object.fromEntries(names.map((name) => [name, ignored])) as Record<N, typeof ignored>;
}

/** An object of this shape that is read elsewhere, so that it stays as it came. */
export function jsonField(shape: z.ZodType) {
  return unread<JsonObject>(() => jsonSchemaOf(shape));
}

/**
 * A field as the configuration describes it, which also reads it. `bounds`: keywords that only
 * the API has.
 */
export function documentField(field: z.ZodType, bounds: JsonObject = {}) {
  return unread<Json>(() => ({ ...withNulls(jsonSchemaOf(field)), ...bounds })).nullish();
}

export function documentFields<N extends string>(fields: Readonly<Record<N, z.ZodType>>) {
  const entries = Object.entries<z.ZodType>(fields).map(([name, field]) => [
    name,
    documentField(field),
  ]);
  // The compiler widens computed names to any text.
  return Object.fromEntries(entries) as Record<N, ReturnType<typeof documentField>>;
}

/** In JSON, null stands for an omitted field. */
function withNulls(schema: JsonObject): JsonObject {
  const { properties, required, items, additionalProperties, anyOf } = schema;
  const isRequired = (name: string): boolean => listOf(required).includes(name);
  return {
    ...schema,
    ...(isObject(properties) ? { properties: mapValues(properties, nullable) } : {}),
    ...(isObject(items) ? { items: withNulls(items) } : {}),
    ...(isObject(additionalProperties)
      ? { additionalProperties: withNulls(additionalProperties) }
      : {}),
    ...(isArray(anyOf)
      ? { anyOf: anyOf.map((each) => (isObject(each) ? withNulls(each) : each)) }
      : {}),
  };

  function nullable(member: Json, name: string): Json {
    if (!isObject(member)) return member;
    const inner = withNulls(member);
    return isRequired(name) ? inner : { anyOf: [inner, { type: "null" }] };
  }
}

function mapValues(object: JsonObject, change: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value = null]) => [name, change(value, name)]),
  );
}
