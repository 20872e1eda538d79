export interface HttpLimits {
  readonly bodyBytes: number;
  readonly mediaBodyBytes: number;
  readonly jsonDepth: number;
  readonly messages: number;
  readonly bigBodies: number;
  /** A longer response is not stored for its idempotency key; only the fact that it was sent is. */
  readonly keptAnswerBytes: number;
  /** Maximum duration of a call. */
  readonly totalMs: number;
  readonly keysPerUser: number;
  readonly accessTokensPerUser: number;
  readonly serviceAccountsPerTeam: number;
  readonly keyOverlapMs: number;
  /** Time until a client must read again; the runtime allows at most 255 seconds. */
  readonly callerStallMs: number;
  readonly drainMs: number;
  /** Maximum number of WebSockets of one key. */
  readonly keySockets: number;
  readonly socketMs: number;
  readonly socketIdleMs: number;
  /** Maximum number of concurrent responses on one WebSocket. */
  readonly socketLanes: number;
  /** Maximum size of the conversations that a WebSocket keeps. */
  readonly socketStateBytes: number;
}
