import type { CatalogUpdates } from "#core/catalog-update.ts";
import type { UsageReports } from "#core/usage-report.ts";
import type { Clock } from "#lib/clock.ts";
import type { Channels } from "#relay/routing/channels.ts";

/** Dependencies of the endpoints of prices in use. */
export interface PriceDeps {
  readonly channels: Pick<Channels, "models">;
  readonly catalogUpdates: Pick<CatalogUpdates, "models">;
  readonly usage: Pick<UsageReports, "report">;
  readonly clock: Clock;
}
