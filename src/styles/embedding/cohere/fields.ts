import { integer, list, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { MAX_DIMENSIONS, MAX_INPUTS } from "#styles/embedding/openai/fields.ts";
import { INPUT_TYPES } from "./input-type.ts";

/** Members that the gateway reads; the others go to upstreams that support them. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "texts!": list(text({ minLength: 1 }), MAX_INPUTS, 1),
  input_type: text({ oneOf: [...new Set(Object.values(INPUT_TYPES))] }),
  embedding_types: {
    ...list(text({ oneOf: ["float", "base64"] }), 1),
    doc: "The one way in which vectors are to be written.",
  },
  output_dimension: integer(1, MAX_DIMENSIONS, "Numbers in a vector; only some models."),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());
