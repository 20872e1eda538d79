import type { EmbeddingRequest } from "#core/embedding.ts";
import { refuse } from "#core/lossy.ts";

/** The inputs as text, for formats without token arrays. Throws `not_carried`. */
export function textsOf({ inputs }: EmbeddingRequest): readonly string[] {
  return inputs.map((input) => {
    if (typeof input === "string") return input;
    throw refuse("input", "the upstreams of this model accept text, not tokens.");
  });
}
