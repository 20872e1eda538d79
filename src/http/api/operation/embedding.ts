import { embedding, type EmbeddingRequest, type Embeddings } from "#core/embedding.ts";
import type { Operation } from "#relay/operate.ts";

/** Embeddings, for all vendors and formats. */
export const embed: Operation<EmbeddingRequest, Embeddings> = {
  ...embedding,
  family: "embeddings",
  endpointsOf: ({ embeddings }) => embeddings ?? [],
};
