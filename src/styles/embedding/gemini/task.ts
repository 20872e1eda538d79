import { EMBEDDING_TASKS, type EmbeddingTask } from "#core/embedding.ts";
import type { Json } from "#lib/json.ts";

/** The format's names for the purpose of an embedding. */
export const TASK_TYPES: Readonly<Record<EmbeddingTask, string>> = {
  query: "RETRIEVAL_QUERY",
  document: "RETRIEVAL_DOCUMENT",
  similarity: "SEMANTIC_SIMILARITY",
  classification: "CLASSIFICATION",
  clustering: "CLUSTERING",
  question_answering: "QUESTION_ANSWERING",
  fact_verification: "FACT_VERIFICATION",
  code_query: "CODE_RETRIEVAL_QUERY",
};

export function taskOf(taskType: Json | undefined): EmbeddingTask | undefined {
  return EMBEDDING_TASKS.find((task) => TASK_TYPES[task] === taskType);
}
