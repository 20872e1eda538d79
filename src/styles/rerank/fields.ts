import { either, flag, integer, list, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";

const MAX_DOCUMENTS = 10_000;

const DOCUMENT = object({ "text!": text() });

/** Everything of a rerank request that is acted on; the rest passes unread. */
export const REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "query!": text({ doc: "What the documents are to answer." }),
  "documents!": list(either(text(), DOCUMENT), MAX_DOCUMENTS),
  top_n: integer(1, Number.MAX_SAFE_INTEGER, "How many of the best are wanted; all otherwise."),
  return_documents: flag("Repeat the documents in the answer."),
});
