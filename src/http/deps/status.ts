import type { ChannelRegistry } from "#relay/routing/channel-registry.ts";

/** Dependencies of the endpoints for the operator's monitoring. */
export interface StatusDeps {
  /** Of the gateway. */
  readonly version: string;
  /** The system of this gateway. */
  readonly system: {
    readonly database: "sqlite" | "postgresql";
    readonly runtime: string;
    readonly platform: string;
    /** Unix ms. */
    readonly startedAt: number;
  };
  readonly channelRegistry: Pick<ChannelRegistry, "isSimulated">;
  isDraining(): boolean;
  /** Prometheus text; of all processes that share the port. */
  renderMetrics(): string | Promise<string>;
  /** Throws if the database cannot be written. */
  ping(): Promise<void>;
}
