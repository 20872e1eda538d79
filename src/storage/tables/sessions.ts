/** Browser sessions. */
export interface SessionsTable {
  /** Keyed digest of the cookie's value. */
  digest: string;
  user_id: number;
  created_at: number;
  /** Time of last use, to the minute. */
  seen_at: number;
  /** 1 after a second factor or an equivalent. */
  is_confirmed: number;
  /** The network of the login; not the full address. */
  network: string | null;
  /** Of the browser that logged in, shortened. */
  user_agent: string | null;
}
