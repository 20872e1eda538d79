import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { InboundFormat, OutboundFormat } from "#core/operation.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { parseError } from "#styles/upstream-error.ts";
import { read, write } from "./inbound.ts";
import { build, parse } from "./outbound.ts";

/** Embeddings in the wire format that goes with chat completions. */
export const embeddings: InboundFormat<EmbeddingRequest, Embeddings> &
  OutboundFormat<EmbeddingRequest, Embeddings> = {
  id: "embeddings",
  inbound: { read, write, buildError },
  outbound: { build, parse, parseError },
};
