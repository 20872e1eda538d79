import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { Family } from "#core/family.ts";
import type { InboundFormat, OperationRequest, OperationResult } from "#core/operation.ts";
import { isObject, type JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { listOf, memberOf } from "#lib/values.ts";
import { DRAW } from "#relay/draw.ts";
import type { OperationEndpoint } from "#providers/provider.ts";
import type { Operation } from "#relay/operate.ts";
import { embeddingPredictions } from "#styles/embedding/gemini/predictions.ts";
import { predictions, REQUEST } from "#styles/image/imagen/inbound.ts";
import { readOperation } from "#http/api/text/native.ts";
import { NATIVE_PREFIXES } from "#http/api/text/native-prefixes.ts";
import { suffixOf } from "#http/api/text/path-suffix.ts";
import { refuseOtherFamilies } from "#http/authenticate.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { PREDICTIONS } from "./answers.ts";
import { embed } from "./embedding.ts";
import { answerQuestion, named } from "./serve-question.ts";

/**
 * Images and embeddings by `:predict`: the members of an instance decide which of the two is
 * requested.
 */
export const nativePredictions: readonly Endpoint<OperationDeps>[] = NATIVE_PREFIXES.map(
  (prefix) => ({
    operationId: `predict${suffixOf(prefix)}`,
    tag: "Images",
    answer: jsonAnswer(PREDICTIONS),
    method: "POST",
    path: `${prefix}/models/:model{.+:predict}`,
    access: "key",
    summary: "Creates images, or turns texts into vectors, by predictions of the native style.",
    requestSchema: () => schemaOf(REQUEST),
    renderError: (error) => predictions.inbound.buildError(error),
    handle: serve,
  }),
);

async function serve(exchange: Exchange, deps: OperationDeps): Promise<Response> {
  const { model } = readOperation(exchange.param("model"));
  const { json, bytes } = await exchange.readPlacedJson(deps.limits.mediaBodyBytes);
  const asked = { exchange, body: json, sent: bytes, model, deps };
  const holdsText = listOf(json["instances"]).some(
    (instance) => isObject(instance) && memberOf(instance, "content") !== undefined,
  );
  return await (holdsText
    ? predict<EmbeddingRequest, Embeddings, OperationEndpoint<EmbeddingRequest, Embeddings>>(
        asked,
        "embeddings",
        embeddingPredictions,
        embed,
      )
    : predict(asked, "images", predictions, DRAW));
}

interface RequestedValue {
  readonly exchange: Exchange;
  readonly body: JsonObject;
  readonly sent: Uint8Array;
  readonly model: string;
  readonly deps: OperationDeps;
}

async function predict<
  Q extends OperationRequest,
  A extends OperationResult,
  E extends OperationEndpoint<Q, A>,
>(
  { exchange, body, sent, model, deps }: RequestedValue,
  family: Family,
  format: InboundFormat<Q, A>,
  operation: Operation<Q, A, E>,
): Promise<Response> {
  refuseOtherFamilies(requireKey(exchange), family);
  const question = named(format.inbound.read(body, { model }));
  return await withIdempotency(exchange, sent, deps, () =>
    answerQuestion(exchange, question, format, operation, deps),
  );
}
