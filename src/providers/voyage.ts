import type { EmbeddingDialect } from "#styles/embedding/openai/dialect.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { bearer, type Provider } from "./provider.ts";
import { VOYAGE_RERANK } from "./rerank-endpoints.ts";

const DIALECT: EmbeddingDialect = {
  encoding: "base64",
  carries: { truncation: "truncation" },
  dimensions: "output_dimension",
  task: {
    member: "input_type",
    words: {
      query: "query",
      document: "document",
      question_answering: "query",
      fact_verification: "query",
      code_query: "query",
    },
  },
};

export const voyage: Provider = {
  id: "voyage",
  name: "Voyage AI",
  docs: "https://docs.voyageai.com/reference/embeddings-api",
  baseUrl: "https://api.voyageai.com/v1",
  needsKey: true,
  text: [],
  embeddings: [{ style: embeddings, path: "/embeddings", maxInputs: 128, dialect: { ...DIALECT } }],
  needsModels: true,
  rerank: [VOYAGE_RERANK],
  authorize: bearer,
};
