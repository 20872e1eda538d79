import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/embedding/openai/fields.ts";
import { embeddings } from "#styles/embedding/openai/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { EMBEDDINGS } from "./answers.ts";
import { embed } from "./embedding.ts";
import { serveQuestion } from "./serve-question.ts";

export const createEmbedding: Route<HttpDeps> = {
  operationId: "createEmbedding",
  tag: "Embeddings",
  answer: jsonAnswer(EMBEDDINGS),
  method: "POST",
  path: "/v1/embeddings",
  access: "key",
  family: "embeddings",
  summary: "Turns texts into vectors.",
  requestSchema: () => schemaOf(REQUEST),
  renderError: (error) => embeddings.inbound.buildError(error),
  handle: (exchange, deps) => serveQuestion(exchange, embeddings, embed, deps),
};
