import type { AlertStore, FundsReader } from "#core/alert.ts";
import type { ChannelMinuteStore } from "#core/channel-minute.ts";
import type { QuotaStore } from "#core/quota.ts";
import type { UserKeys } from "#core/user-keys.ts";
import type { Spends } from "#http/api/home/spends.ts";
import type { Clock } from "#lib/clock.ts";
import type { AlertWatch } from "#relay/alerts/watch.ts";
import type { ModelHealth } from "#relay/alerts/model-health.ts";
import type { Channels } from "#relay/routing/channels.ts";

/** Dependencies of the first page of a console, and of the public status page. */
export interface HomeDeps {
  readonly alerts: Pick<AlertStore, "open">;
  readonly alertWatch: Pick<AlertWatch, "state">;
  readonly funds: FundsReader;
  readonly channelMinutes: Pick<ChannelMinuteStore, "read">;
  readonly spends: Spends;
  readonly quotas: Pick<QuotaStore, "budgets">;
  readonly userKeys: Pick<UserKeys, "page">;
  readonly modelHealth: ModelHealth;
  readonly channels: Pick<Channels, "models">;
  /** Whether everyone may see the status page; may change. */
  readonly isStatusPublic: boolean;
  /** Whether the models and their prices show without a login; may change. */
  readonly isPricingPublic: boolean;
  readonly clock: Clock;
}
