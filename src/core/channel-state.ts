/** The rules by which the gateway disables a channel. An absent rule is that of the settings. */
export interface DisableRules {
  /** The vendor refuses every credential. */
  readonly refused?: boolean;
  /** At least this share of the attempts within the window failed; 0 for never. */
  readonly failingShare?: number;
  /** Fewer attempts within the window decide nothing. */
  readonly minAttempts?: number;
  readonly windowMs?: number;
  /** The vendor's account has no balance left. */
  readonly noBalance?: boolean;
}

export type DisableCause = "refused" | "failing" | "no_balance";

/** Why and since when the gateway disabled a channel. Also kept for a time after its return. */
export interface ChannelState {
  /** Name of the channel. */
  readonly channel: string;
  readonly isDisabled: boolean;
  readonly cause: DisableCause;
  /** In words for people, without text of clients. */
  readonly reason: string;
  /** Unix ms. */
  readonly since: number;
  /** Unix ms of the next test. */
  readonly probeAt: number;
  /** Tests since the channel was disabled, and before it if that was not long ago. */
  readonly probes: number;
  /** Unix ms of the return; evidence from before it does not count. */
  readonly returnedAt: number | undefined;
}

/** The states of channels, for all gateways of one database. */
export interface ChannelStateStore {
  /** Ordered by channel. */
  list(): Promise<readonly ChannelState[]>;
  /** False if it is disabled already: another gateway was first. */
  disable(state: Omit<ChannelState, "isDisabled" | "returnedAt">): Promise<boolean>;
  /** Takes a due test, so that one gateway makes it. False if another one took it. */
  leaseProbe(state: ChannelState, nextAt: number): Promise<boolean>;
  /** False if it was not disabled. */
  enable(channel: string, at: number): Promise<boolean>;
  /** Deletes states from before this time, except those of disabled channels with these names. */
  prune(before: number, names: readonly string[]): Promise<void>;
}

/** Told once of each change, by the gateway that made it. */
export interface ChannelStateObserver {
  onDisabled(state: Omit<ChannelState, "isDisabled" | "returnedAt">): void;
  /** `by`: the user who enabled it; undefined if a test succeeded. */
  onEnabled(channel: string, by: string | undefined): void;
}
