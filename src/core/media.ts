/** The file behind a link. */
export interface FetchedMedia {
  readonly bytes: Uint8Array;
  /** Detected from the first bytes if possible, else as the server reports it. */
  readonly mediaType: string;
}

/** Downloads media behind clients' links, for upstreams that cannot. */
export interface MediaFetcher {
  /**
   * Throws `invalid_request` if the link is not allowed or the file is
   * unusable. `upstream`: the upstream whose response contained the link; links
   * to that host are allowed at any address.
   */
  follow(url: string, signal: AbortSignal, upstream?: URL): Promise<FetchedMedia>;
}

/** Sends requests to URLs that clients gave, subject to the address rules. */
export interface LinkFollower {
  /**
   * Throws `invalid_request` if the URL is forbidden, as far as that is known
   * without a DNS lookup.
   */
  check(url: string, param: string): void;
  /** The same, and the URL must use https. */
  checkSecure(url: string, param: string): void;
  /**
   * Returns the response status. Throws `invalid_request` if the address is
   * forbidden or unreachable.
   */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<number>;
  /** The same with GET, over https only. */
  get(url: string, headers: Readonly<Record<string, string>>): Promise<number>;
}

/** Posts to URLs of operators, subject to the address rules, and reads the answers. */
export interface AnswerReader {
  /** Throws like `post`. Only the begin of a long answer is read. */
  postForAnswer(
    url: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly text: string }>;
}
