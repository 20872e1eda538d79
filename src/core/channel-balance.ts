/** The balance of an account at a vendor. */
export interface Balance {
  /** In the currency; negative if the account owes money. */
  readonly amount: number;
  /** `USD`, `CNY`, or the vendor's own unit such as `credits`. */
  readonly currency: string;
  /** The vendor still takes calls. */
  readonly isUsable: boolean;
}

/** The latest known balance of a channel: of several credentials, the lowest. */
export interface ChannelBalance extends Balance {
  readonly channel: string;
  /** Unix ms. */
  readonly at: number;
}

/** The latest balances, for all gateways of one database. */
export interface ChannelBalanceStore {
  list(): Promise<readonly ChannelBalance[]>;
  put(balance: ChannelBalance): Promise<void>;
  prune(before: number): Promise<void>;
}
