import { either, flag, integer, list, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

const MAX_DOCUMENTS = 10_000;
const MAX_FIELDS = 100;
const COUNT = integer(1, Number.MAX_SAFE_INTEGER);
const INSTRUCTION = text({ doc: "What makes a document relevant; only for some models." });

/** Members with the same meaning for every upstream. */
const COMMON = {
  "model!": text({ minLength: 1, maxLength: 512 }),
  "query!": text({ doc: "What the documents are to answer." }),
  "documents!": list(either(text(), object({ text: text() })), MAX_DOCUMENTS),
  top_n: { ...COUNT, doc: "How many of the best are wanted; all otherwise." },
  top_k: { ...COUNT, doc: "Another name for it." },
  return_documents: flag("Repeat the documents in the answer."),
  rank_fields: {
    ...list(text({ minLength: 1 }), MAX_FIELDS),
    doc: "Which members of documents that are objects are read, in this order; `text` otherwise.",
  },
};

/**
 * Members of a rerank request that the gateway reads; the others go to upstreams that support them.
 */
export const REQUEST: ObjectRule = object({
  ...COMMON,
  instruction: INSTRUCTION,
  instruct: INSTRUCTION,
  truncation: flag("Cut what is too long, rather than refuse it; only for some models."),
  max_tokens_per_doc: COUNT,
  max_chunks_per_doc: COUNT,
  overlap_tokens: integer(0, Number.MAX_SAFE_INTEGER),
});

export const KNOWN: ReadonlySet<string> = new Set(object(COMMON).members.keys());
