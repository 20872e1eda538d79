/** A message protocol on a WebSocket. */
export interface SocketProtocol {
  opened(peer: SocketPeer): void;
  received(message: string | Uint8Array): void;
  /** The client closed the connection, or it broke. */
  closed(): void;
}

/** The client's end. */
export interface SocketPeer {
  /** Returns a promise while the client is behind. It rejects if the client disconnects. */
  send(message: string): void | Promise<void>;
  close(code: number, reason: string): void;
  /** Ends the connection without a close frame: for a client that does not read. */
  terminate(): void;
}

/** Close codes of RFC 6455. */
export const CLOSE = { normal: 1000, goingAway: 1001, unsupported: 1003, policy: 1008 } as const;
