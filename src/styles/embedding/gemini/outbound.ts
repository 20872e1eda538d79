import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, type JsonObject } from "#lib/json.ts";
import { defined, memberOf } from "#lib/values.ts";
import { carryFrom } from "#styles/carry.ts";
import { textsOf } from "#styles/embedding/texts.ts";
import { checkVectors, readVector } from "#styles/embedding/vectors.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { parseUsage } from "#styles/text/gemini/usage.ts";
import { TASK_TYPES } from "./task.ts";

/** Always a batch, even for one text; its items repeat the common options. */
export function build(question: EmbeddingRequest, { report }: OutboundContext): JsonObject {
  const { model, task, title, dimensions, user, extra } = question;
  carryFrom(extra, [], {}, report);
  if (user !== undefined) report.lose("user");
  const settings = defined({
    taskType: task && TASK_TYPES[task],
    title,
    outputDimensionality: dimensions,
  });
  return {
    requests: textsOf(question).map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      ...settings,
    })),
  };
}

export function parse(body: JsonObject, { inputs }: EmbeddingRequest): Embeddings {
  if (!isArray(body["embeddings"])) throw noAnswer("has no list of vectors");
  const vectors = body["embeddings"].map((each) => readVector(memberOf(each, "values")));
  const usage = parseUsage(body["usageMetadata"]);
  return { vectors: checkVectors(vectors, inputs.length), ...defined({ usage }) };
}
