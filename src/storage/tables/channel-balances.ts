/** The latest balances at vendors. */
export interface ChannelBalancesTable {
  channel: string;
  /** Decimal text. */
  amount: string;
  currency: string;
  /** 0 or 1. */
  is_usable: number;
  /** Unix ms. */
  at: number;
}
