import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { InboundFormat, OutboundFormat } from "#core/operation.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { parseError } from "#styles/upstream-error.ts";
import { read, write } from "./inbound.ts";
import { build, parse } from "./outbound.ts";

/** Embeddings by number type; the gateway uses the floats. */
export const embedTexts: InboundFormat<EmbeddingRequest, Embeddings> &
  OutboundFormat<EmbeddingRequest, Embeddings> = {
  id: "texts-embeddings",
  inbound: { read, write, buildError },
  outbound: { build, parse, parseError },
};
