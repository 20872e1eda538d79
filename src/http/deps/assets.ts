import type { Library } from "#relay/assets/library.ts";
import type { OwnFiles } from "#relay/assets/local-files.ts";
import type { OwnLinks } from "#relay/assets/signed-urls.ts";
import type { Verifications } from "#relay/assets/verifications.ts";
import type { IdempotencyDeps } from "../idempotency.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the endpoints of the asset library. */
export interface AssetDeps extends IdempotencyDeps {
  readonly library: Library;
  readonly assetFiles: OwnFiles;
  readonly assetLinks: OwnLinks;
  readonly verifications: Verifications;
  readonly limits: HttpLimits;
}
