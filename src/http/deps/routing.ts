import type { AuditLog } from "#core/audit.ts";
import type { ChannelReports } from "#relay/failover/channel-report.ts";
import type { CatalogUpdates } from "#core/catalog-update.ts";
import type { Reach } from "#core/channel.ts";
import type { ChannelDraft, ChannelStore, ModelDraft, ModelStore } from "#core/stored-routing.ts";
import type { Clock } from "#lib/clock.ts";
import type { JsonObject } from "#lib/json.ts";
import type { CallDeps } from "#relay/call-deps.ts";
import type { ChannelBalances } from "#relay/channel-balances.ts";
import type { ChannelWatch } from "#relay/failover/channel-watch.ts";
import type { ProbeDeps } from "#relay/probe.ts";
import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";
import type { Channels } from "#relay/routing/channels.ts";

/** The observed state of channels. */
interface ChannelCare {
  readonly reports: Pick<ChannelReports, "of" | "history">;
  readonly balances: Pick<ChannelBalances, "latest" | "read">;
  /** Enables channels that the gateway disabled. */
  readonly watch: Pick<ChannelWatch, "enable">;
  /** Of a plan that may hold secrets: equal on all gateways, and useless for guessing them. */
  digestPlan(plan: string): string;
}

/** Dependencies of the endpoints of channels, models and the catalogue. */
export interface RoutingDeps {
  readonly channels: Channels;
  readonly channelRegistry: ChannelRegistry;
  readonly channelStore: ChannelStore;
  readonly modelStore: ModelStore;
  readonly catalogUpdates: CatalogUpdates;
  /** Validates with the rules of the configuration file. Both throw `invalid_request`. */
  readChannel(json: JsonObject, terms: { readonly isKeyOptional: boolean }): ChannelDraft;
  readModel(name: string, json: JsonObject): ModelDraft;
  /** Undefined for an address that no channel may have. */
  reachNeeded(url: URL): Reach | undefined;
  readonly relay: ProbeDeps & Pick<CallDeps, "admission">;
  readonly clock: Clock;
  readonly channelCare: ChannelCare;
  readonly audit: Pick<AuditLog, "list">;
}
