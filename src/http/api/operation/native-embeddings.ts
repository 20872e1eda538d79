import type { z } from "zod";
import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { InboundFormat } from "#core/operation.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { BATCH_REQUEST, EMBED_REQUEST } from "#styles/embedding/gemini/fields.ts";
import { batchEmbedContents, embedContent } from "#styles/embedding/gemini/index.ts";
import { readOperation } from "#http/api/text/native.ts";
import { NATIVE_PREFIXES } from "#http/api/text/native-prefixes.ts";
import { suffixOf } from "#http/api/text/path-suffix.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { NATIVE_EMBEDDING, NATIVE_EMBEDDINGS } from "./answers.ts";
import { embed } from "./embedding.ts";
import { serveQuestion } from "./serve-question.ts";

/** Separate routes from the native text operations: they belong to another endpoint family. */
export const nativeEmbeddings: readonly Endpoint<OperationDeps>[] = NATIVE_PREFIXES.flatMap(
  (prefix) => [
    route(
      `embedContent${suffixOf(prefix)}`,
      `${prefix}/models/:model{.+:embedContent}`,
      "Turns a text into a vector, in the native style.",
      EMBED_REQUEST,
      embedContent({ mayNameModel: prefix !== "/v1" }),
      NATIVE_EMBEDDING,
    ),
    route(
      `batchEmbedContents${suffixOf(prefix)}`,
      `${prefix}/models/:model{.+:batchEmbedContents}`,
      "Turns texts into vectors, in the native style.",
      BATCH_REQUEST,
      batchEmbedContents,
      NATIVE_EMBEDDINGS,
    ),
  ],
);

function route(
  operationId: string,
  path: string,
  summary: string,
  rule: ObjectRule,
  format: InboundFormat<EmbeddingRequest, Embeddings>,
  answer: z.ZodType,
): Endpoint<OperationDeps> {
  return {
    ...jsonCall(format, rule),
    operationId,
    tag: "Embeddings",
    answer: jsonAnswer(answer),
    path,
    access: "key",
    family: "embeddings",
    summary,
    handle(exchange, deps) {
      const { model } = readOperation(exchange.param("model"));
      return serveQuestion(exchange, format, embed, deps, { model });
    },
  };
}
