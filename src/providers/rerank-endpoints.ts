import type { Ranking, RerankRequest } from "#core/rerank.ts";
import { cohere } from "#styles/rerank/cohere.ts";
import { dashscope } from "#styles/rerank/dashscope.ts";
import type { RerankDialect } from "#styles/rerank/dialect.ts";
import { jina } from "#styles/rerank/jina.ts";
import { voyage } from "#styles/rerank/voyage.ts";
import type { OperationEndpoint } from "./provider.ts";

type RerankEndpoint = OperationEndpoint<RerankRequest, Ranking>;

/** Servers of the common format, relative to the base URL of their other endpoints. */
export const RERANK: RerankEndpoint = { style: jina, path: "/rerank", maxInputs: 1_000 };

/** The same for a vendor with additional fields. */
export function rerankWith(carries: RerankDialect["carries"]): RerankEndpoint {
  return { ...RERANK, dialect: { carries } };
}

/** Relative to `https://api.jina.ai/v1`. */
export const JINA_RERANK: RerankEndpoint = { ...RERANK, maxInputs: 2_048 };

/** Relative to `https://api.cohere.com/v2`. */
export const COHERE_RERANK: RerankEndpoint = { ...RERANK, style: cohere };

/** Relative to `https://api.voyageai.com/v1`. */
export const VOYAGE_RERANK: RerankEndpoint = { ...RERANK, style: voyage };

/** Its path is outside the address of the compatible mode. */
export const DASHSCOPE_RERANK: RerankEndpoint = {
  style: dashscope,
  path: "/../../api/v1/services/rerank/text-rerank/text-rerank",
  maxInputs: 500,
};
