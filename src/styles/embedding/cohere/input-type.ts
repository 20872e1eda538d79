import { EMBEDDING_TASKS, type EmbeddingTask } from "#core/embedding.ts";
import type { Json } from "#lib/json.ts";

/** The format's names for the purpose of an embedding. */
export const INPUT_TYPES: Readonly<Partial<Record<EmbeddingTask, string>>> = {
  query: "search_query",
  document: "search_document",
  classification: "classification",
  clustering: "clustering",
  question_answering: "search_query",
  fact_verification: "search_query",
  code_query: "search_query",
};

/** A name for several purposes maps to the first of them. */
export function taskOf(inputType: Json | undefined): EmbeddingTask | undefined {
  return EMBEDDING_TASKS.find((task) => (INPUT_TYPES[task] ?? null) === (inputType ?? ""));
}
