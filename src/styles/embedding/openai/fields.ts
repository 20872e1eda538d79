import { either, integer, list, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

/** Maximum number of inputs of one request at the format's first vendor. */
export const MAX_INPUTS = 2_048;
const MAX_TOKENS_IN_INPUT = 1_000_000;
/** Far above any model's; a larger number is an error. */
export const MAX_DIMENSIONS = 100_000;

const TEXT = text({ minLength: 1 });
const TOKEN = integer(0, Number.MAX_SAFE_INTEGER);
const TOKENS = list(TOKEN, MAX_TOKENS_IN_INPUT, 1);

/** Members of an embeddings request that the gateway reads. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "input!": {
    ...either(TEXT, list(either(TEXT, TOKEN, TOKENS), MAX_TOKENS_IN_INPUT, 1)),
    doc: `A text or up to ${MAX_INPUTS}, or the tokens of as many.`,
  },
  encoding_format: text({ oneOf: ["float", "base64"] }),
  dimensions: integer(1, MAX_DIMENSIONS, "Numbers in a vector; only some models give a choice."),
  input_type: text({
    oneOf: ["query", "document"],
    doc: "What the vectors are for; only some models make a difference.",
  }),
  user: text(),
});

export const KNOWN: ReadonlySet<string> = new Set(REQUEST.members.keys());
