import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";

/** Dependencies of the endpoints for the operator's monitoring. */
export interface StatusDeps {
  /** Of the gateway. */
  readonly version: string;
  readonly channelRegistry: Pick<ChannelRegistry, "isSimulated">;
  isDraining(): boolean;
  /** Prometheus text. */
  renderMetrics(): string;
  /** Throws if the database cannot be written. */
  ping(): Promise<void>;
}
