import { z } from "zod";
import type { JsonObject } from "#lib/json.ts";
import { jsonSchemaOf } from "../schema.ts";

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
  return z.custom<JsonObject>().meta(jsonSchemaOf(shape));
}
