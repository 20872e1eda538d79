/** What a link leads to. */
export interface FetchedMedia {
  readonly base64: string;
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
