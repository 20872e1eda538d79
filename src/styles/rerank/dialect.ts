import type { Carries } from "#styles/carry.ts";

/** In which ways a vendor's reading of a rerank format is its own. */
export interface RerankDialect {
  /** Fields beside those that all have. */
  readonly carries: Carries;
}
