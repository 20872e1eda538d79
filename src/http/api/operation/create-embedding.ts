import { REQUEST } from "#styles/embedding/openai/fields.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { EMBEDDINGS } from "./answers.ts";
import { embed } from "./embedding.ts";
import { serveQuestion } from "./serve-question.ts";

export const createEmbedding: Endpoint<OperationDeps> = {
  ...jsonCall(embeddings, REQUEST),
  operationId: "createEmbedding",
  tag: "Embeddings",
  answer: jsonAnswer(EMBEDDINGS),
  path: "/v1/embeddings",
  access: "key",
  family: "embeddings",
  summary: "Turns texts into vectors.",
  handle: (exchange, deps) => serveQuestion(exchange, embeddings, embed, deps),
};
