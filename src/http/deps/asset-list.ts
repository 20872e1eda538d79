import type { AssetStore } from "#core/asset.ts";
import type { IdentitySessionStore } from "#core/identity-session.ts";
import type { UserStore } from "#core/user.ts";
import type { Clock } from "#lib/clock.ts";
import type { Library } from "#relay/assets/library.ts";
import type { OwnLinks } from "#relay/assets/signed-urls.ts";
import type { Verifications } from "#relay/assets/verifications.ts";
import type { HttpLimits } from "../limits.ts";

/** Dependencies of the management routes of the asset library. */
export interface AssetListDeps {
  readonly library: Library;
  readonly assetLinks: Pick<OwnLinks, "pathTo">;
  readonly verifications: Pick<Verifications, "begin">;
  readonly assets: Pick<AssetStore, "list" | "listGroups">;
  readonly identitySessions: Pick<IdentitySessionStore, "list">;
  readonly users: Pick<UserStore, "findAll">;
  readonly limits: Pick<HttpLimits, "mediaBodyBytes">;
  readonly clock: Clock;
}
