import type { EmbeddingQuestion, Embeddings } from "#core/embedding.ts";
import type { OutboundFormat } from "#core/operation.ts";
import { parseError } from "#styles/upstream-error.ts";
import { build, parse } from "./outbound.ts";

/** Embeddings by kinds of number, of which we take the floats. */
export const embedTexts: OutboundFormat<EmbeddingQuestion, Embeddings> = {
  id: "texts-embeddings",
  outbound: { build, parse, parseError },
};
