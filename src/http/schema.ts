import { z } from "zod";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";

/**
 * JSON schema of what is sent, before any transformation. Metadata of the
 * schema (`writeOnly`, a description) stand in it; a schema with an `id` is
 * referred to in `$defs`.
 */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  let made = MADE.get(schema);
  if (made === undefined) {
    made = makeSchema(schema);
    MADE.set(schema, made);
  }
  return made;
}

/** Routes share schemas, and making one takes long. */
const MADE = new WeakMap<z.ZodType, JsonObject>();

/** A value that is read elsewhere, so that it stays as it came. Its JSON schema is made on first use. */
export function unread<T extends Json>(shape: () => JsonObject) {
  const schema = z.custom<T>();
  SHAPES.set(schema, shape);
  return schema;
}

const SHAPES = new WeakMap<object, () => JsonObject>();

function makeSchema(schema: z.ZodType): JsonObject {
  const made = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // The library leaves defaults out of schemas that transform what is sent.
    override({ zodSchema, jsonSchema }) {
      const shape = SHAPES.get(zodSchema);
      // Fields around the shape take precedence.
      if (shape !== undefined) Object.assign(jsonSchema, { ...shape(), ...jsonSchema });
      const { default: usual } = z.globalRegistry.get(zodSchema) ?? {};
      if (usual !== undefined) Object.assign(jsonSchema, { default: usual });
    },
  });
  const { $schema: _, ...rest } = parsed(JSON.stringify(made));
  return rest;
}

function parsed(text: string): JsonObject {
  const json = parseJson(text);
  return isObject(json) ? json : {};
}
