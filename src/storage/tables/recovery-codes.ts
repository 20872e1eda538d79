/** Recovery codes for a lost authenticator; a used code's row is deleted. */
export interface RecoveryCodesTable {
  user_id: number;
  /** Keyed digest of the user's id and the code. */
  digest: string;
}
