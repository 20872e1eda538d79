import type { EmbeddingRequest, Embeddings } from "#core/embedding.ts";
import type { InboundFormat, OutboundFormat } from "#core/operation.ts";
import { buildError } from "#styles/text/gemini/error.ts";
import { parseError } from "#styles/upstream-error.ts";
import { readMany, readOne, writeMany, writeOne } from "./inbound.ts";
import { build, parse } from "./outbound.ts";

const ID = "gemini-embeddings";

/** Native embeddings: the model is in the path, and each content gets a vector. */
export const batchEmbedContents: InboundFormat<EmbeddingRequest, Embeddings> &
  OutboundFormat<EmbeddingRequest, Embeddings> = {
  id: ID,
  inbound: { read: readMany, write: writeMany, buildError },
  outbound: { build, parse, parseError },
};

/** The same for one content. */
export function embedContent(options: {
  /** The body may repeat the model of the path. */
  readonly mayNameModel: boolean;
}): InboundFormat<EmbeddingRequest, Embeddings> {
  return {
    id: ID,
    inbound: {
      read: (body, address) => readOne(body, address, options.mayNameModel),
      write: writeOne,
      buildError,
    },
  };
}
