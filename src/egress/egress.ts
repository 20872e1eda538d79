import type { Authorize, TokenExchange } from "#core/authorize.ts";
import type { ChannelOptions, Credential, Reach } from "#core/channel.ts";
import type { GatewayError } from "#core/error.ts";
import type { ResponseHead } from "#lib/http1.ts";
import type { Body } from "#lib/pieces.ts";

export interface UpstreamLimits {
  readonly connectMs: number;
  /** Until the status line of a stream. */
  readonly firstByteMs: number;
  /** Until the end of a whole answer. */
  readonly unaryMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
}

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: "GET" | "POST" | "DELETE";
  /** Let go of once it is written out: a large one would be held as long as its answer takes. */
  body?: Body | undefined;
  /** Whose connections to use: no two channels share any. */
  readonly pool: string;
  /** Where its connections may lead; anywhere where absent. The same for all of a pool. */
  readonly reach?: Reach;
  readonly credential: Credential | undefined;
  /** The address is the operator's own, and not for callers to see. */
  readonly hidesAddress?: true;
  /** Beside those of every request and the credential's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Turns the opened secret, or the token it is traded for, into headers. */
  readonly authorize: Authorize;
  readonly exchange?: TokenExchange;
  /** What the channel says beside its credential. */
  readonly options?: ChannelOptions;
  /**
   * Stands for the secret in header values and in the query, where the request
   * was written by somebody who must not know it.
   */
  readonly placeholder?: string;
  readonly isStream: boolean;
  /**
   * A file is asked for: as long as its bytes come there is no end to its time,
   * and where its server redirects to is for whoever asks to judge.
   */
  readonly isFile?: true;
  /** Its answer's beginning, and each piece, may take as long as a whole answer. */
  readonly isSlow?: boolean;
  /** Read twice, it would be done twice: it goes on a new connection, and never on another after that. */
  readonly isOnce?: boolean;
  /** Until the answer's head, where that is less than for others. */
  readonly headMs?: number;
  /** Monotonic ms at which the call is over that this is a part of. */
  readonly endsAt?: number;
  /** The caller hung up, or the gateway gave up. */
  readonly signal?: AbortSignal;
}

/** Takes a piece of a body. A promise asks for no more until it is kept. */
export type OnPiece = (bytes: Uint8Array) => void | Promise<void>;

/** An upstream's answer; whoever holds it must `close` it. */
export interface UpstreamReply extends ResponseHead, Disposable {
  /** Hands over the body as it comes. Settles at its end, or with what broke it. */
  pump(onPiece: OnPiece): Promise<void>;
  /** Came while nobody took it. */
  readonly waitingBytes?: number;
  readAll(): Promise<Uint8Array>;
  /**
   * The text of a failure, cut to `maxChars`, without the secret and the
   * private address that some servers repeat in it; empty where it does not come, or not whole.
   */
  readFailure(maxChars: number): Promise<string>;
  /** Lets go of the connection; cuts it when the answer is not at its end. */
  close(): void;
}

/** How upstreams are reached. */
export interface Egress {
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  /** Ends every exchange under way: whoever reads from one is thrown the reason. */
  abortAll(reason: GatewayError): void;
  /** Closes what is idle in a pool that will not be used any more, and in those named below it. */
  closePool(pool: string): void;
  /** Closes what is idle. */
  close(): void;
}
