import type { LossReport } from "#core/lossy.ts";
import type { UrlPatterns } from "./supported-urls.ts";
import type { PackageTraits } from "./traits.ts";

/** What to know of the package that a request is written for. */
export interface Terms {
  readonly traits: PackageTraits;
  readonly report: LossReport;
  /** Addresses that the vendor fetches itself. */
  readonly urls: UrlPatterns;
}

/** Where a block stands. */
export interface Place extends Terms {
  /** For a refusal, as the caller would write it. */
  readonly path: string;
  /** Tools by the ids of their calls. */
  readonly callNames: ReadonlyMap<string, string>;
}
