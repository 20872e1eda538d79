import type { ForwardDeps } from "#relay/forward.ts";
import type { OperateDeps } from "#relay/operate.ts";
import type { ImageShape } from "../api/image/shape.ts";
import type { IdempotencyDeps } from "../idempotency.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of requests that are forwarded unchanged. */
export interface SharedDeps extends IdempotencyDeps {
  readonly relay: ForwardDeps;
  readonly limits: HttpLimits;
}

/** Dependencies of the endpoints of embeddings, rerank and images. */
export interface OperationDeps extends SharedDeps {
  readonly relay: OperateDeps;
}

/** Includes the dependency of image generation: the operator chooses the shape of its answers. */
export interface ImageDeps extends OperationDeps {
  imageShape(): ImageShape;
}
