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
