import { z } from "zod";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";

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

function makeSchema(schema: z.ZodType): JsonObject {
  const made = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    // The library leaves defaults out of schemas that transform what is sent.
    override({ zodSchema, jsonSchema }) {
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
