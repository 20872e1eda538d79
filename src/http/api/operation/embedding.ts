import { embedding, type EmbeddingRequest, type Embeddings } from "#core/embedding.ts";
import type { Operation } from "#relay/operate.ts";

/** Embeddings, by whoever makes them. */
export const embed: Operation<EmbeddingRequest, Embeddings> = {
  ...embedding,
  family: "embeddings",
  endpointsOf: ({ embeddings }) => embeddings ?? [],
};
