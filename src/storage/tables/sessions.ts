/** Logins from browsers. */
export interface SessionsTable {
  /** Keyed digest of what the cookie holds. */
  digest: string;
  user_id: number;
  created_at: number;
  /** When it was last used, to the minute. */
  seen_at: number;
}
