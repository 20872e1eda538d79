/** What a link leads to. */
export interface FetchedMedia {
  readonly bytes: Uint8Array;
  /** By its first bytes where they tell, else as its server says. */
  readonly mediaType: string;
}

/** Follows links of callers to media, for upstreams that do not. */
export interface MediaFetcher {
  /**
   * Throws `invalid_request` for a link that may not be followed, or leads to
   * nothing usable. `upstream`: who gave the link, in an answer; links to
   * itself are followed wherever it is.
   */
  follow(url: string, signal: AbortSignal, upstream?: URL): Promise<FetchedMedia>;
}

/** Speaks to addresses that callers named, wherever that is allowed. */
export interface LinkFollower {
  /** Throws `invalid_request` for an address that may not be spoken to, as far as can be told without asking who it is. */
  check(url: string, param: string): void;
  /** The same, and it must be https. */
  checkSecure(url: string, param: string): void;
  /** The status it answered with. Throws `invalid_request` where nobody there may be, or could be, spoken to. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  /** The same by GET, over https only. */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<number>;
}
