import { REQUEST } from "#styles/embedding/cohere/fields.ts";
import { embedTexts as format } from "#styles/embedding/cohere/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { EMBEDDED_TEXTS } from "./answers.ts";
import { embed } from "./embedding.ts";
import { secondVersion } from "./second-version.ts";
import { serveQuestion } from "./serve-question.ts";

/** For clients that use the same path prefix for embeddings as for rerank. */
export const embedTexts: Endpoint<OperationDeps> = {
  ...jsonCall(secondVersion(format), REQUEST),
  operationId: "embedTexts",
  tag: "Embeddings",
  answer: jsonAnswer(EMBEDDED_TEXTS),
  path: "/v2/embed",
  access: "key",
  family: "embeddings",
  summary: "Turns texts into vectors, in the format of reranking vendors.",
  handle: (exchange, deps) =>
    serveQuestion(exchange, secondVersion(format, exchange.id), embed, deps),
};
