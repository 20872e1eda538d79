import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import { refuse } from "#core/lossy.ts";
import type { InboundFormat, OperationResult } from "#core/operation.ts";
import type { Address } from "#core/style.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { flag, integer, list, object, text, type ObjectRule } from "#lib/rules.ts";
import { defined, integerOf, listOf, longTextOf, objectOf, restOf, textOf } from "#lib/values.ts";
import { MAX_DIMENSIONS, MAX_INPUTS } from "#styles/embedding/openai/fields.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import { camelized } from "#styles/text/gemini/request/names.ts";
import { TASK_TYPES, taskOf } from "./task.ts";

const INSTANCE = object({
  "content!": text(),
  taskType: text({ oneOf: ["TASK_TYPE_UNSPECIFIED", ...Object.values(TASK_TYPES)] }),
  title: text(),
});
const PARAMETERS = object({
  outputDimensionality: integer(1, MAX_DIMENSIONS),
  autoTruncate: flag(),
});

const REQUEST: ObjectRule = object({
  "instances!": list(INSTANCE, MAX_INPUTS, 1),
  parameters: PARAMETERS,
});

const KNOWN = {
  instance: new Set(INSTANCE.members.keys()),
  // The upstream decides whether a long text is truncated.
  parameters: new Set(PARAMETERS.members.keys()),
};

/** Embeddings by predictions, one instance for each. */
export const embeddingPredictions: InboundFormat<EmbeddingRequest, Embeddings> = {
  id: "gemini-embeddings",
  inbound: { read, write, buildError },
};

function read(sent: JsonObject, { model = "" }: Address): EmbeddingRequest {
  const body = camelized(sent);
  validate(body, REQUEST);
  const instances = listOf(body["instances"]).filter(isObject);
  const parameters = objectOf(body["parameters"]) ?? {};
  const [first = {}] = instances;
  const inputs = instances.map((instance, at) => {
    for (const name of ["taskType", "title"]) {
      if ((instance[name] ?? null) === (first[name] ?? null)) continue;
      throw refuse(`instances[${at}].${name}`, "it must be the same in all instances.");
    }
    const content = String(longTextOf(instance["content"]) ?? "");
    if (content !== "") return content;
    throw invalid(`instances[${at}].content`, `'instances[${at}].content' must not be empty.`);
  });
  const native = {
    ...restOf(parameters, KNOWN.parameters),
    ...Object.assign({}, ...instances.map((instance) => restOf(instance, KNOWN.instance))),
  };
  return {
    model,
    inputs,
    ...defined({
      task: taskOf(first["taskType"]),
      title: textOf(first["title"]),
      dimensions: integerOf(parameters["outputDimensionality"]),
      extra: Object.keys(native).length === 0 ? undefined : { native },
    }),
  };
}

/** The token count is known for all texts together; each result gets its share. */
function write({ vectors, usage }: Embeddings & Required<OperationResult>): JsonObject {
  const share = Math.round(usage.inputTokens / Math.max(1, vectors.length));
  return {
    predictions: vectors.map((vector) => ({
      embeddings: {
        values: [...vector],
        statistics: { token_count: share, truncated: false },
      },
    })),
  };
}
