/** What stands in for a code when the authenticator is lost; a row goes when it was used. */
export interface RecoveryCodesTable {
  user_id: number;
  /** Keyed digest of the user's id and the code. */
  digest: string;
}
