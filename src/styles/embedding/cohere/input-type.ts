import { EMBEDDING_TASKS, type EmbeddingTask } from "#core/embedding.ts";
import type { Json } from "#lib/json.ts";

/** What the format calls the purpose of a vector. */
export const INPUT_TYPES: Readonly<Partial<Record<EmbeddingTask, string>>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
  question_answering: "search_query",
  fact_verification: "search_query",
  code_query: "search_query",
};

/** A word for several purposes stands for the first of them. */
export function taskOf(inputType: Json | undefined): EmbeddingTask | undefined {
  return EMBEDDING_TASKS.find((task) => (INPUT_TYPES[task] ?? null) === (inputType ?? ""));
}
