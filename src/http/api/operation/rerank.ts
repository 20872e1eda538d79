import type { InboundFormat } from "#core/operation.ts";
import { rerank, type Ranking, type RerankQuestion } from "#core/rerank.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { Operation } from "#relay/operate.ts";
import { REQUEST } from "#styles/rerank/fields.ts";
import { jina } from "#styles/rerank/jina.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { serveQuestion } from "./serve-question.ts";

const RERANK: Operation<RerankQuestion, Ranking> = {
  ...rerank,
  family: "rerank",
  endpointsOf: (provider) => provider.rerank ?? [],
};

/** Clients of two vendors look for it at two places. */
export const rerankOperations: readonly Route<HttpDeps>[] = ["/v1/rerank", "/v2/rerank"].map(
  (path) => ({
    method: "POST",
    path,
    access: "key",
    family: "rerank",
    summary: "Puts documents in the order of how well they answer a query.",
    requestSchema: () => schemaOf(REQUEST),
    renderError: (error) => jina.inbound.buildError(error),
    handle: (exchange, deps) => serveQuestion(exchange, withId(exchange.id), RERANK, deps),
  }),
);

/** Some clients take no answer without an id. */
function withId(id: string): InboundFormat<RerankQuestion, Ranking> {
  const { inbound } = jina;
  const write: typeof inbound.write = (answer, question) => ({
    id,
    ...inbound.write(answer, question),
  });
  return { ...jina, inbound: { ...inbound, write } };
}
