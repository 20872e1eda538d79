import type { InboundFormat } from "#core/operation.ts";
import { rerank, type Ranking, type RerankRequest } from "#core/rerank.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { Operation } from "#relay/operate.ts";
import { REQUEST } from "#styles/rerank/fields.ts";
import { jina, objectDocuments } from "#styles/rerank/jina.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { RANKING } from "./answers.ts";
import { secondVersion } from "./second-version.ts";
import { serveQuestion } from "./serve-question.ts";

const RERANK: Operation<RerankRequest, Ranking> = {
  ...rerank,
  family: "rerank",
  endpointsOf: (provider) => provider.rerank ?? [],
};

/** Clients of two vendors use two different paths. */
export const rerankOperations: readonly Endpoint<OperationDeps>[] = [
  "/v1/rerank",
  "/v2/rerank",
].map((path) => ({
  operationId: path === "/v1/rerank" ? "rerank" : "rerankV2",
  tag: "Rerank",
  answer: jsonAnswer(RANKING),
  method: "POST",
  path,
  access: "key",
  family: "rerank",
  summary: "Ranks documents by their relevance for a query.",
  requestSchema: () => schemaOf(REQUEST),
  renderError: (error) =>
    (path === "/v2/rerank" ? secondVersion(jina) : jina).inbound.buildError(error),
  handle: (exchange, deps) => serveQuestion(exchange, formatFor(exchange), RERANK, deps),
}));

/** This header identifies a generated client that expects documents as objects. */
function formatFor({ id, request }: Exchange): InboundFormat<RerankRequest, Ranking> {
  const format = request.headers.has("x-fern-language") ? objectDocuments : jina;
  return secondVersion(format, id);
}
