import type { Authorize, TokenExchange } from "#core/authorize.ts";
import type {
  ChannelOptions,
  ChannelProxy,
  ChannelTimeout,
  Credential,
  Reach,
} from "#core/channel.ts";
import type { GatewayError } from "#core/error.ts";
import type { RequestOverrides } from "#core/overrides.ts";
import type { CancelSignal } from "#lib/cancellation.ts";
import type { ResponseHead } from "#lib/http1.ts";
import type { Body } from "#lib/pieces.ts";

export interface UpstreamLimits {
  readonly connectMs: number;
  /** Until the status line of a stream. */
  readonly firstByteMs: number;
  /** Until the end of a non-streaming response. */
  readonly unaryMs: number;
  /** Between two chunks of a body. */
  readonly idleMs: number;
  readonly totalMs: number;
  readonly answerBytes: number;
}

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: "GET" | "POST" | "DELETE";
  /**
   * Released once it is written: a large body would otherwise stay in memory
   * until the response ends.
   */
  body?: Body | undefined;
  /** The connection pool to use: no two channels share a pool. */
  readonly pool: string;
  /** Networks that its connections may reach; any if absent. The same for the whole pool. */
  readonly reach?: Reach;
  /** The same for the whole pool. */
  readonly proxy?: ChannelProxy;
  /** Shorter limits than those of the gateway. */
  readonly timeout?: ChannelTimeout;
  readonly credential: Credential | undefined;
  /** The address belongs to the operator, and clients must not see it. */
  readonly hidesAddress?: true;
  /** Added to the default headers and the credential's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The owner's changes to headers and query, made before the credential is added. */
  readonly overrides?: RequestOverrides;
  /** Converts the opened secret, or its exchanged token, into headers. */
  readonly authorize: Authorize;
  readonly exchange?: TokenExchange;
  /** The channel's settings besides its credential. */
  readonly options?: ChannelOptions;
  /**
   * Replaced by the secret in header values and in the query, for requests from
   * code that must not know the secret.
   */
  readonly placeholder?: string;
  readonly isStream: boolean;
  /** The stream may have images in its events, which a small receive buffer would delay. */
  readonly hasLargeEvents?: boolean;
  /**
   * The request downloads a file: it has no total time limit while bytes
   * arrive. The caller handles redirects itself.
   */
  readonly isFile?: true;
  /** The first byte and each chunk may take as long as a non-streaming response. */
  readonly isSlow?: boolean;
  /**
   * The request is not idempotent: it uses a new connection and is never
   * repeated on another one.
   */
  readonly isOnce?: boolean;
  /** Time limit for the response head, if it is shorter than the default. */
  readonly headMs?: number;
  /** Monotonic ms at which the whole call ends. */
  readonly endsAt?: number;
  /** The client disconnected, or the gateway aborted. */
  readonly signal?: CancelSignal;
}

/** Consumes a chunk of a body. A returned promise pauses the body until it resolves. */
export type OnPiece = (bytes: Uint8Array) => void | Promise<void>;

/** An upstream's response; its holder must `close` it. */
export interface UpstreamReply extends ResponseHead, Disposable {
  /**
   * Delivers the body as it arrives. Settles at its end, or with the error that broke it off.
   * `isLent`: a large chunk is freed once it was taken, so the consumer must keep no view of it.
   */
  pump(onPiece: OnPiece, isLent?: boolean): Promise<void>;
  /** Bytes that arrived while no consumer was ready. */
  readonly waitingBytes?: number;
  /** Monotonic ms at which the request was written to an open connection. */
  readonly sentAt?: number | undefined;
  /** Monotonic ms of the arrival of the body's first byte; undefined until then. */
  readonly firstByteAt?: number | undefined;
  /** Monotonic ms of the arrival of the response's end; undefined until then. */
  readonly endedAt?: number | undefined;
  /** At once if the body is here already. */
  readAll(): Uint8Array | Promise<Uint8Array>;
  /**
   * The text of an error response, cut to `maxChars`. The secret and the
   * private address, which some servers repeat, are removed. Empty if the body
   * does not arrive completely.
   */
  readFailure(maxChars: number): Promise<string>;
  /** Releases the connection; closes it if the response is not complete. */
  close(): void;
}

/** Sends requests to upstreams. */
export interface Egress {
  send(request: UpstreamRequest): Promise<UpstreamReply>;
  /** Ends all running exchanges: their readers get the reason. */
  abortAll(reason: GatewayError): void;
  /** Closes the idle connections of an unused pool and of its sub-pools. */
  closePool(pool: string): void;
  /** Closes all idle connections. */
  close(): void;
}
