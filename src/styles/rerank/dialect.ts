import type { Carries } from "#styles/carry.ts";

/** Deviations of a vendor from a rerank format. */
export interface RerankDialect {
  /** Additional fields of this vendor. */
  readonly carries: Carries;
}
