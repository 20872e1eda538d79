import { GatewayError } from "#core/error.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { HttpViolation, ResponseReader, type Fields } from "#lib/http1.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { concatPieces, Pieces } from "#lib/pieces.ts";
import type { Connection, Connections, Destination, Listener } from "./connections.ts";
import type { OnPiece, UpstreamLimits, UpstreamReply, UpstreamRequest } from "./egress.ts";
import { abortReason } from "./abort-reason.ts";
import { hostOf, portOf } from "./guard.ts";
import { withoutOwn } from "./redact-own.ts";

/**
 * Bytes that may wait for the consumer before the connection is paused. Most
 * waits end before more bytes arrive, and a pause costs several system calls.
 */
const MAX_WAITING_BYTES = 64 * 1024;
/** Memory overhead of a waiting chunk. */
const PIECE_BYTES = 512;
/**
 * If a server closed an idle connection before our request arrived, we learn it
 * within one round trip.
 */
const RACE_MS = 2_000;
/** Time to read the body of an error response. */
const FAILURE_MS = 5_000;
/** Characters or bytes. */
const BIG_REQUEST = 1024 * 1024;
const NO_HEADERS: Fields = new Map();

/** One request and its response on an exclusive connection. */
export class Exchange implements UpstreamReply, Watched, Listener, EventListenerObject {
  readonly #limits: UpstreamLimits;
  readonly #deadlines: Deadlines;
  readonly #request: UpstreamRequest;
  readonly #open: Set<Exchange>;
  #totalAt: number;
  readonly #reader = new ResponseReader();
  #connection: Connection | undefined;
  /** Undefined before the request is sent. */
  #sentAt: number | undefined;
  /**
   * Resolves with true at the response head, with false if the connection
   * closes without a byte.
   */
  #answered: PromiseWithResolvers<boolean> | undefined;
  #hasHead = false;
  #failure: GatewayError | undefined;
  #isClosed = false;

  #onPiece: OnPiece | undefined;
  readonly #ended = ignoreRejection(Promise.withResolvers<void>());
  #hasEnded = false;
  /** The error that broke the response off; reported after all earlier bytes were consumed. */
  #break: GatewayError | undefined;
  /** Bytes that arrived while no consumer was ready. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The consumer is not ready for more. */
  #isBusy = false;
  #isPaused = false;
  dueAt: number;

  constructor(
    limits: UpstreamLimits,
    deadlines: Deadlines,
    request: UpstreamRequest,
    open: Set<Exchange>,
  ) {
    this.#limits = limits;
    this.#deadlines = deadlines;
    this.#request = request;
    this.#open = open;
    const now = deadlines.now();
    const { isFile, endsAt = Infinity } = request;
    this.#totalAt = isFile === true ? Infinity : Math.min(endsAt, now + limits.totalMs);
    this.dueAt = Math.min(this.#totalAt, now + limits.connectMs);
    open.add(this);
    deadlines.watch(this);
    if (request.signal?.aborted) this.handleEvent();
    else request.signal?.addEventListener("abort", this, ONCE);
  }

  get status(): number {
    return this.#reader.head?.status ?? 0;
  }

  get headers(): Fields {
    return this.#reader.head?.headers ?? NO_HEADERS;
  }

  /** Takes the request from the outbox, sends it, and waits for the response head. */
  async begin(connections: Connections, outbox: Outbox): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { pool, url, isOnce } = this.#request;
    const to = destinationOf(url);
    // A large request would have to stay in memory for a second connection
    // until the response arrives.
    const isBig = lengthOf(outbox.written) > BIG_REQUEST;
    const reused = isBig || isOnce ? undefined : connections.reuse(pool, to, this);
    if (reused !== undefined) {
      if (await this.#sendOn(reused, outbox.written)) return;
      // The server may have closed an idle connection just as we wrote: then it
      // did not process the request.
      if (!this.#isRace()) throw unanswered();
    }
    if (await this.#sendOn(await this.#connect(connections, to), taken(outbox))) return;
    throw unanswered();
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  pump(onPiece: OnPiece): Promise<void> {
    if (this.#isClosed || this.#failure !== undefined) return this.#ended.promise;
    this.#onPiece = onPiece;
    this.#passWaiting();
    return this.#ended.promise;
  }

  async readAll(): Promise<Uint8Array> {
    const announced = Number(this.headers.get("content-length") ?? 0);
    if (announced > this.#limits.answerBytes) throw tooLarge();
    // The whole buffer is allocated at once, so that bytes are copied on
    // arrival and never held twice.
    const all = announced > LARGE_BYTES ? Buffer.allocUnsafeSlow(announced) : undefined;
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    let passedAt = 0;
    await this.pump((piece) => {
      if (all === undefined) pieces.push(piece);
      else all.set(piece, sizeBytes);
      sizeBytes += piece.length;
      if (sizeBytes > this.#limits.answerBytes) throw tooLarge();
      if (sizeBytes - passedAt < LARGE_BYTES) return undefined;
      const passed = yieldToEventLoop(sizeBytes - passedAt);
      passedAt = sizeBytes;
      return passed;
    });
    if (all !== undefined) return all.subarray(0, sizeBytes);
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined
      ? only
      : await concatPieces(new Pieces(pieces));
  }

  async readFailure(maxChars: number): Promise<string> {
    // Another upstream may be waiting for its turn.
    this.#totalAt = Math.min(this.#totalAt, this.#deadlines.now() + FAILURE_MS);
    const text = new TextDecoder().decode(await this.readAll().catch(emptyOnError));
    return withoutOwn(text, this.#request).slice(0, maxChars);
  }

  abort(reason: GatewayError): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = reason;
    this.#stop(false);
    this.#answered?.reject(reason);
    this.#ended.reject(reason);
  }

  /** The client has disconnected. */
  handleEvent(): void {
    this.abort(abortReason(this.#request.signal));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#open.delete(this);
    this.#deadlines.release(this);
    this.#request.signal?.removeEventListener("abort", this);
    this.#stop(this.#reader.isReusable && this.#failure === undefined);
    // A pending reader would otherwise wait forever.
    if (!this.#hasEnded)
      this.#ended.reject(new GatewayError("canceled", "The response was discarded."));
  }

  onData(bytes: Buffer): void {
    let piece: Uint8Array | undefined;
    try {
      piece = this.#reader.push(bytes);
    } catch (cause) {
      this.#breakOff(cause);
      return;
    }
    if (!this.#hasHead && this.#reader.head !== undefined) this.#onHead();
    if (piece === undefined) this.#passWaiting();
    else this.#deliver(piece);
  }

  onClose(isClean: boolean): void {
    this.#connection = undefined;
    if (this.#reader.isUntouched) {
      this.#answered?.resolve(false);
      return;
    }
    try {
      this.#reader.close(isClean);
      this.#passWaiting();
    } catch (cause) {
      this.#breakOff(cause);
    }
  }

  onDue(now: number): void {
    this.dueAt = Infinity;
    if (this.#sentAt === undefined) {
      this.abort(
        new GatewayError("upstream_unreachable", "The connection to the upstream timed out."),
      );
      return;
    }
    const inTime = this.#hasHead ? "stopped answering" : "did not answer in time";
    const what = now >= this.#totalAt ? "took too long" : inTime;
    this.abort(new GatewayError("upstream_timeout", `The upstream ${what}.`));
  }

  async #connect(connections: Connections, to: Destination): Promise<Connection> {
    this.#sentAt = undefined;
    this.dueAt = Math.min(this.#totalAt, this.#deadlines.now() + this.#limits.connectMs);
    const { pool, reach } = this.#request;
    this.#connection = connections.open(pool, to, this, reach);
    const connection = this.#connection;
    try {
      await connection.opened;
    } catch (cause) {
      throw this.#failure ?? unreachable(cause);
    }
    if (this.#failure !== undefined) throw this.#failure;
    return connection;
  }

  #sendOn(connection: Connection, written: Written): Promise<boolean> {
    const { firstByteMs, unaryMs } = this.#limits;
    const { isStream, isSlow, isFile } = this.#request;
    const now = this.#deadlines.now();
    this.#connection = connection;
    this.#sentAt = now;
    const { headMs = Infinity } = this.#request;
    // A complete response is useless before its end: this limit covers all of
    // it, even if it arrives slowly.
    if (!isStream && isFile !== true) this.#totalAt = Math.min(this.#totalAt, now + unaryMs);
    const longest = isStream && !isSlow ? firstByteMs : unaryMs;
    this.dueAt = Math.min(this.#totalAt, now + Math.min(longest, headMs));
    const answered = ignoreRejection(Promise.withResolvers<boolean>());
    this.#answered = answered;
    const onSent = (isSent: boolean): void => {
      if (!isSent) answered.resolve(false);
    };
    if (typeof written === "string") onSent(connection.write(written));
    else connection.pour(written).then(onSent, (cause: unknown) => this.#onRefused(cause));
    return answered.promise;
  }

  #isRace(): boolean {
    return this.#deadlines.now() - (this.#sentAt ?? 0) < RACE_MS;
  }

  #onHead(): void {
    this.#hasHead = true;
    // No idle limit applies until a consumer reads the body.
    this.dueAt = this.#totalAt;
    this.#answered?.resolve(true);
    this.#answered = undefined;
  }

  /** Passes a chunk directly to the consumer; it waits only if the consumer is not ready. */
  #deliver(piece: Uint8Array): void {
    if (this.#onPiece === undefined || this.#isBusy) {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length + PIECE_BYTES;
      if (this.#waitingBytes > MAX_WAITING_BYTES) this.#pause();
      return;
    }
    if (this.#give(piece)) this.#rest();
  }

  /** Passes waiting chunks to the consumer until none is left or it is not ready. */
  #passWaiting(): void {
    if (this.#onPiece === undefined || this.#isBusy) return;
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      this.#waitingBytes -= piece.length + PIECE_BYTES;
      if (!this.#give(piece)) return;
    }
    this.#resume();
    this.#rest();
  }

  /** False if the consumer wants no more, for now or for good. */
  #give(piece: Uint8Array): boolean {
    let wait: void | Promise<void>;
    try {
      wait = this.#onPiece?.(piece);
    } catch (cause) {
      this.#onRefused(cause);
      return false;
    }
    if (wait === undefined) return this.#onPiece !== undefined;
    // The upstream is not late while the consumer is busy, so only the total limit applies.
    this.#isBusy = true;
    // A consumer that is slow with this large chunk will be slow with the next one too.
    if (piece.length > MAX_WAITING_BYTES) this.#pause();
    this.dueAt = this.#totalAt;
    wait.then(
      () => this.#onReady(),
      (cause: unknown) => this.#onRefused(cause),
    );
    return false;
  }

  #rest(): void {
    if (this.#break !== undefined) {
      this.abort(this.#break);
    } else if (this.#reader.isOver) {
      this.dueAt = Infinity;
      this.#hasEnded = true;
      this.#ended.resolve();
    } else {
      const { idleMs, unaryMs } = this.#limits;
      const silentMs = this.#request.isSlow ? unaryMs : idleMs;
      this.dueAt = Math.min(this.#totalAt, this.#deadlines.now() + silentMs);
    }
  }

  #onReady(): void {
    this.#isBusy = false;
    this.#passWaiting();
  }

  /** The consumer failed, so the exchange ends with the consumer's own error. */
  #onRefused(cause: unknown): void {
    this.abort(GatewayError.from(cause));
  }

  /** The consumer still gets the bytes that arrived before the error. */
  #breakOff(cause: unknown): void {
    this.#break = broken(cause);
    if (this.#isBusy || this.#waiting.length > 0) this.#letGo(false);
    else this.abort(this.#break);
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#connection?.pause();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#connection?.resume();
  }

  #stop(isReusable: boolean): void {
    this.#onPiece = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.dueAt = Infinity;
    this.#letGo(isReusable);
  }

  #letGo(isReusable: boolean): void {
    this.#resume();
    this.#connection?.release(isReusable);
    this.#connection = undefined;
  }
}

const ONCE = { once: true };

/** A request's head and body. */
export type Written = string | Pieces;

/**
 * Holds a request until it is written, so that it is not kept in memory while
 * the response is pending.
 */
interface Outbox {
  written: Written;
}

/** An approximate length without reading the content. */
function lengthOf(written: Written): number {
  return typeof written === "string" ? written.length : written.sizeBytes;
}

function taken(outbox: Outbox): Written {
  const { written } = outbox;
  outbox.written = "";
  return written;
}

/** Suppresses the unhandled rejection if no caller waits for the promise. */
function ignoreRejection<T>(resolvers: PromiseWithResolvers<T>): PromiseWithResolvers<T> {
  resolvers.promise.catch(() => {});
  return resolvers;
}

const destinations = new WeakMap<URL, Destination>();

/** Parsed once per URL object, which all calls of a channel share. */
function destinationOf(url: URL): Destination {
  let known = destinations.get(url);
  if (known === undefined) {
    known = { host: hostOf(url), port: portOf(url), isSecure: url.protocol === "https:" };
    destinations.set(url, known);
  }
  return known;
}

/** A truncated error text may contain a part of a secret; the status is enough. */
function emptyOnError(cause: unknown): Uint8Array {
  const { code } = GatewayError.from(cause);
  if (code === "upstream_failed" || code === "upstream_timeout") return NO_BYTES;
  throw cause;
}

const NO_BYTES = new Uint8Array(0);

function tooLarge(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream's answer is too large.");
}

function unanswered(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The upstream closed the connection without an answer.",
  );
}

/** The public message is fixed; the cause may contain addresses. */
function unreachable(cause: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "The upstream could not be reached.", { cause });
}

function broken(cause: unknown): GatewayError {
  const isMalformed = cause instanceof HttpViolation;
  const how = isMalformed ? "broke off or is malformed" : "could not be read";
  return new GatewayError("upstream_failed", `The upstream's answer ${how}.`, { cause });
}
