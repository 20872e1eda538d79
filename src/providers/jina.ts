import type { EmbeddingDialect } from "#styles/embedding/openai/dialect.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { JINA_RERANK } from "./rerank-endpoints.ts";

const DIALECT: Partial<EmbeddingDialect> = {
  carries: {
    late_chunking: "late_chunking",
    normalized: "normalized",
    task: "task",
    truncate: "truncate",
  },
  task: {
    member: "task",
    words: {
      query: "retrieval.query",
      document: "retrieval.passage",
      similarity: "text-matching",
      classification: "classification",
      clustering: "separation",
      question_answering: "retrieval.query",
      fact_verification: "retrieval.query",
      code_query: "code.query",
    },
  },
};

export const jina: Provider = {
  id: "jina",
  name: "Jina AI",
  prefixes: ["jina_ai"],
  docs: "https://jina.ai/embeddings",
  baseUrl: "https://api.jina.ai/v1",
  needsKey: true,
  text: [],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 512, dialect: { ...DIALECT } }],
  needsModels: true,
  rerank: [JINA_RERANK],
  authorize: bearer,
};
