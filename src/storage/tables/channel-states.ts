import type { DisableCause } from "#core/channel-state.ts";

/** Channels of any source that the gateway disabled. Times are Unix ms. */
export interface ChannelStatesTable {
  channel: string;
  /** 0 or 1. */
  is_disabled: number;
  cause: DisableCause;
  reason: string;
  since: number;
  probe_at: number;
  probes: number;
  returned_at: number | null;
}
