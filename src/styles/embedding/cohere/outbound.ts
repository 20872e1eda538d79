import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { reportLosses, type LossRule } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import { usageOf } from "#core/usage.ts";
import { isArray, type JsonObject } from "#lib/json.ts";
import { defined, memberOf } from "#lib/values.ts";
import { carryFrom } from "#styles/carry.ts";
import { textsOf } from "#styles/embedding/texts.ts";
import { checkVectors, readVector } from "#styles/embedding/vectors.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { INPUT_TYPES } from "./input-type.ts";

/** Additional fields of this vendor. */
const CARRIES = { truncate: "truncate", max_tokens: "max_tokens", priority: "priority" };

const LOSSES: readonly LossRule<EmbeddingRequest>[] = [
  { lost: "task", when: ({ task }) => task !== undefined && INPUT_TYPES[task] === undefined },
  { lost: "title", when: ({ title }) => title !== undefined },
  { lost: "user", when: ({ user }) => user !== undefined },
];

export function build(question: EmbeddingRequest, { report }: OutboundContext): JsonObject {
  const { model, task, dimensions, extra } = question;
  const inputType = task === undefined ? undefined : INPUT_TYPES[task];
  reportLosses(LOSSES, question, report);
  return {
    ...carryFrom(extra, ["embeddings", "texts"], CARRIES, report),
    model,
    texts: textsOf(question),
    // The vendor requires an input type. Without a purpose, treat the text as a document, not as a
    // query.
    input_type: inputType ?? "search_document",
    embedding_types: ["float"],
    ...defined({ output_dimension: dimensions }),
  };
}

export function parse(body: JsonObject, { inputs }: EmbeddingRequest): Embeddings {
  const floats = memberOf(body["embeddings"], "float");
  if (!isArray(floats)) throw noAnswer("has no list of vectors");
  const inputTokens = memberOf(memberOf(body["meta"], "billed_units"), "input_tokens");
  const usage = usageOf({ inputTokens, outputTokens: 0 });
  return { vectors: checkVectors(floats.map(readVector), inputs.length), ...defined({ usage }) };
}
