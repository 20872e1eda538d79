/** Logins from browsers. */
export interface SessionsTable {
  /** Keyed digest of what the cookie holds. */
  digest: string;
  user_id: number;
  created_at: number;
  /** When it was last used, to the minute. */
  seen_at: number;
  /** 1 where a second factor was shown, or what counts as one. */
  is_confirmed: number;
  /** Where it was started from; not the whole address. */
  network: string | null;
}
