import { GatewayError } from "#core/error.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { HttpViolation, ResponseReader, type Fields, type ResponseHead } from "#lib/http1.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { concatPieces, Pieces } from "#lib/pieces.ts";
import { addressOf } from "./address.ts";
import type { Connection, Connections, Listener } from "./connections.ts";
import type { OnPiece, UpstreamLimits, UpstreamReply, UpstreamRequest } from "./egress.ts";
import { abortReason } from "./abort-reason.ts";
import { withoutOwn } from "./redact-own.ts";

/**
 * Bytes that may wait for the consumer before the connection is paused. Most
 * waits end before more bytes arrive, and a pause costs several system calls.
 */
const MAX_WAITING_BYTES = 64 * 1024;
/** Chunks of a usual stream are smaller: collecting those is cheaper than freeing them. */
const FREED_BYTES = 16 * 1024;
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
/** It stays empty. */
const NO_PIECES: Uint8Array[] = [];

/** What all exchanges of an egress share. */
export interface ExchangeOwner {
  readonly limits: UpstreamLimits;
  readonly deadlines: Deadlines;
  readonly connections: Connections;
  readonly open: Set<Exchange>;
  /** The upstream refused the request's credential. */
  onUnauthorized(request: UpstreamRequest): void;
}

/** One request and its response on an exclusive connection. */
export class Exchange implements UpstreamReply, Watched, Listener, EventListenerObject {
  readonly #owner: ExchangeOwner;
  readonly #request: UpstreamRequest;
  /** The request until it need not be sent again: it is not kept while the response is pending. */
  #written: Written;
  #totalAt: number;
  readonly #reader = new ResponseReader();
  #connection: Connection | undefined;
  /** Undefined before the request is sent. */
  sentAt: number | undefined;
  /** The server may have closed the idle connection just as we wrote. */
  #mayRepeat = false;
  /** Pending until the response head arrives. */
  #begun: PromiseWithResolvers<this> | undefined;
  #hasHead = false;
  firstByteAt: number | undefined;
  endedAt: number | undefined;
  #failure: GatewayError | undefined;
  #isClosed = false;

  #onPiece: OnPiece | undefined;
  #isLent = false;
  /** Present once a consumer waits for the end of the body. */
  #ended: PromiseWithResolvers<void> | undefined;
  #hasEnded = false;
  /** The error that broke the response off; reported after all earlier bytes were consumed. */
  #break: GatewayError | undefined;
  /** Bytes that arrived while no consumer was ready. */
  #waiting: Uint8Array[] | undefined;
  #waitingBytes = 0;
  /** The consumer is not ready for more. */
  #isBusy = false;
  #isPaused = false;
  dueAt: number;
  slot: number | undefined;

  constructor(owner: ExchangeOwner, request: UpstreamRequest, written: Written) {
    this.#owner = owner;
    this.#request = request;
    this.#written = written;
    const { deadlines, limits } = owner;
    const now = deadlines.now();
    const { isFile, endsAt = Infinity } = request;
    const totalMs = Math.min(limits.totalMs, request.timeout?.totalMs ?? Infinity);
    this.#totalAt = isFile === true ? Infinity : Math.min(endsAt, now + totalMs);
    this.dueAt = Math.min(this.#totalAt, now + limits.connectMs);
    owner.open.add(this);
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

  /** Sends the request. Resolves at the response head; rejects after it released everything. */
  begin(): Promise<this> {
    if (this.#failure !== undefined) {
      this.close();
      return Promise.reject(this.#failure);
    }
    const begun = Promise.withResolvers<this>();
    this.#begun = begun;
    const { pool, url, isOnce } = this.#request;
    // A large request would have to stay in memory for a second connection
    // until the response arrives.
    const isBig = lengthOf(this.#written) > BIG_REQUEST;
    const reused =
      isBig || isOnce ? undefined : this.#owner.connections.reuse(pool, addressOf(url), this);
    if (reused === undefined) {
      this.#connect();
    } else {
      this.#mayRepeat = true;
      this.#sendOn(reused, this.#written);
    }
    return begun.promise;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  pump(onPiece: OnPiece, isLent = false): Promise<void> {
    const ended = (this.#ended ??= ignoreRejection(Promise.withResolvers<void>()));
    if (this.#hasEnded) ended.resolve();
    else if (this.#failure !== undefined) ended.reject(this.#failure);
    else if (this.#isClosed) ended.reject(discarded());
    else {
      this.#onPiece = onPiece;
      this.#isLent = isLent;
      this.#passWaiting();
    }
    return ended.promise;
  }

  readAll(): Uint8Array | Promise<Uint8Array> {
    const announced = Number(this.headers.get("content-length") ?? 0);
    if (announced > this.#owner.limits.answerBytes) throw tooLarge();
    const isHere = this.#reader.isOver && this.#waitingBytes <= LARGE_BYTES;
    if (!isHere || this.#isBusy || this.#isClosed || this.#break !== undefined) {
      return this.#gather(announced);
    }
    return this.#takeWaiting();
  }

  /** The whole body, which arrived before it was asked for: most responses of a call are short. */
  #takeWaiting(): Uint8Array {
    const pieces = this.#waiting ?? NO_PIECES;
    const [only] = pieces;
    const all = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
    this.#waiting = undefined;
    this.#waitingBytes = 0;
    if (all.length > this.#owner.limits.answerBytes) {
      const error = tooLarge();
      this.abort(error);
      throw error;
    }
    this.#end();
    return all;
  }

  async #gather(announced: number): Promise<Uint8Array> {
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
      if (sizeBytes > this.#owner.limits.answerBytes) throw tooLarge();
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
    this.#totalAt = Math.min(this.#totalAt, this.#owner.deadlines.now() + FAILURE_MS);
    const text = new TextDecoder().decode(await this.#readOrNothing());
    return withoutOwn(text, this.#request).slice(0, maxChars);
  }

  async #readOrNothing(): Promise<Uint8Array> {
    try {
      return await this.readAll();
    } catch (cause) {
      return emptyOnError(cause);
    }
  }

  abort(reason: GatewayError): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = reason;
    this.#stop(false);
    this.#ended?.reject(reason);
    if (this.#begun !== undefined) this.#refuse(reason);
  }

  /** There is no response: everything is released before the sender hears of it. */
  #refuse(reason: GatewayError): void {
    const begun = this.#begun;
    this.#begun = undefined;
    this.close();
    begun?.reject(reason);
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
    this.#owner.open.delete(this);
    this.#owner.deadlines.release(this);
    this.#request.signal?.removeEventListener("abort", this);
    this.#stop(this.#reader.isReusable && this.#failure === undefined);
    // A pending reader would otherwise wait forever.
    if (!this.#hasEnded) this.#ended?.reject(discarded());
  }

  onData(bytes: Buffer): void {
    let piece: Uint8Array | undefined;
    try {
      piece = this.#reader.push(bytes);
    } catch (cause) {
      this.#breakOff(cause);
      return;
    }
    this.#take(piece);
  }

  #take(piece: Uint8Array | undefined): void {
    if (!this.#hasHead && this.#reader.head !== undefined) this.#onHead();
    if (this.firstByteAt === undefined && piece !== undefined) {
      this.firstByteAt = this.#owner.deadlines.now();
      if (this.#reader.isOver) this.endedAt = this.firstByteAt;
    } else if (this.#reader.isOver) this.endedAt ??= this.#owner.deadlines.now();
    if (this.#isClosed) return;
    if (piece === undefined) this.#passWaiting();
    else this.#deliver(piece);
  }

  onClose(isClean: boolean): void {
    this.#connection = undefined;
    if (this.#reader.isUntouched) {
      this.#onUnanswered();
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
    if (this.sentAt === undefined) {
      this.abort(
        new GatewayError("upstream_unreachable", "The connection to the upstream timed out."),
      );
      return;
    }
    const inTime = this.#hasHead ? "stopped answering" : "did not answer in time";
    const what = now >= this.#totalAt ? "took too long" : inTime;
    this.abort(new GatewayError("upstream_timeout", `The upstream ${what}.`));
  }

  #connect(): void {
    this.sentAt = undefined;
    const { deadlines, limits, connections } = this.#owner;
    this.dueAt = Math.min(this.#totalAt, deadlines.now() + limits.connectMs);
    const { pool, reach, proxy, url } = this.#request;
    const connection = connections.open(pool, addressOf(url), this, reach, proxy);
    this.#connection = connection;
    connection.opened.then(
      () => {
        const written = this.#written;
        this.#written = "";
        if (this.#begun !== undefined) this.#sendOn(connection, written);
      },
      (cause: unknown) => this.#refuse(unreachable(cause)),
    );
  }

  #sendOn(connection: Connection, written: Written): void {
    const { firstByteMs, unaryMs } = this.#owner.limits;
    const { isStream, isSlow, isFile, hasLargeEvents } = this.#request;
    const now = this.#owner.deadlines.now();
    this.#connection = connection;
    connection.limitReads(isStream && isSlow !== true && hasLargeEvents !== true);
    this.sentAt = now;
    const { headMs = Infinity, timeout } = this.#request;
    // A complete response is useless before its end: this limit covers all of
    // it, even if it arrives slowly.
    if (!isStream && isFile !== true) this.#totalAt = Math.min(this.#totalAt, now + unaryMs);
    const longest =
      isStream && !isSlow ? Math.min(firstByteMs, timeout?.firstByteMs ?? Infinity) : unaryMs;
    this.dueAt = Math.min(this.#totalAt, now + Math.min(longest, headMs));
    if (typeof written === "string") {
      if (!connection.write(written)) this.#onUnanswered();
      return;
    }
    connection.pour(written).then(
      (isSent) => {
        if (!isSent) this.#onUnanswered();
      },
      (cause: unknown) => this.#onRefused(cause),
    );
  }

  /** The connection closed without a byte: an idle one may have been closed just before, unseen. */
  #onUnanswered(): void {
    if (this.#begun === undefined) return;
    this.#connection?.release(false);
    this.#connection = undefined;
    // Then the server did not process the request.
    if (this.#mayRepeat && this.#isRace()) {
      this.#mayRepeat = false;
      this.#connect();
    } else {
      this.#refuse(unanswered());
    }
  }

  #isRace(): boolean {
    return this.#owner.deadlines.now() - (this.sentAt ?? 0) < RACE_MS;
  }

  #onHead(): void {
    this.#hasHead = true;
    this.#written = "";
    // No idle limit applies until a consumer reads the body.
    this.dueAt = this.#totalAt;
    const detour = detourIn(this, this.#request);
    if (detour !== undefined) {
      this.#refuse(detour);
      return;
    }
    if (this.status === 401) this.#owner.onUnauthorized(this.#request);
    this.#begun?.resolve(this);
    this.#begun = undefined;
  }

  /** Passes a chunk directly to the consumer; it waits only if the consumer is not ready. */
  #deliver(piece: Uint8Array): void {
    if (this.#onPiece === undefined || this.#isBusy) {
      (this.#waiting ??= []).push(piece);
      this.#waitingBytes += piece.length + PIECE_BYTES;
      if (this.#waitingBytes > MAX_WAITING_BYTES) this.#pause();
      return;
    }
    if (this.#give(piece)) this.#rest();
  }

  /** Passes waiting chunks to the consumer until none is left or it is not ready. */
  #passWaiting(): void {
    if (this.#onPiece === undefined || this.#isBusy) return;
    const waiting = this.#waiting ?? NO_PIECES;
    for (let piece = waiting.shift(); piece !== undefined; piece = waiting.shift()) {
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
    if (wait === undefined) {
      this.#free(piece);
      return this.#onPiece !== undefined;
    }
    // The upstream is not late while the consumer is busy, so only the total limit applies.
    this.#isBusy = true;
    // A consumer that is slow with this large chunk will be slow with the next one too.
    if (piece.length > MAX_WAITING_BYTES) this.#pause();
    this.dueAt = this.#totalAt;
    wait.then(
      () => {
        this.#free(piece);
        this.#onReady();
      },
      (cause: unknown) => this.#onRefused(cause),
    );
    return false;
  }

  /** A collection would come too late: hundreds of fast streams fill a hundred megabytes a second. */
  #free(piece: Uint8Array): void {
    if (!this.#isLent || piece.length <= FREED_BYTES) return;
    // Not read for small chunks, because the runtime makes this object when it is asked for.
    const { buffer } = piece;
    if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  }

  #rest(): void {
    if (this.#break !== undefined) {
      this.abort(this.#break);
    } else if (this.#reader.isOver) {
      this.#end();
    } else {
      const { deadlines, limits } = this.#owner;
      const silentMs = this.#request.isSlow ? limits.unaryMs : limits.idleMs;
      this.dueAt = Math.min(this.#totalAt, deadlines.now() + silentMs);
    }
  }

  #end(): void {
    this.dueAt = Infinity;
    this.#hasEnded = true;
    this.#ended?.resolve();
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
    if (cause instanceof HttpViolation && cause.before !== undefined) this.#take(cause.before);
    if (this.#isBusy || (this.#waiting ?? NO_PIECES).length > 0) this.#letGo(false);
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
    this.#waiting = undefined;
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

/** An approximate length without reading the content. */
function lengthOf(written: Written): number {
  return typeof written === "string" ? written.length : written.sizeBytes;
}

/** Suppresses the unhandled rejection if no caller waits for the promise. */
function ignoreRejection<T>(resolvers: PromiseWithResolvers<T>): PromiseWithResolvers<T> {
  resolvers.promise.catch(() => {});
  return resolvers;
}

/** A truncated error text may contain a part of a secret; the status is enough. */
function emptyOnError(cause: unknown): Uint8Array {
  const { code } = GatewayError.from(cause);
  if (code === "upstream_failed" || code === "upstream_timeout") return NO_BYTES;
  throw cause;
}

const NO_BYTES = new Uint8Array(0);

/** A redirect would take the credential to another host; a compressed body was not requested. */
function detourIn(
  { status, headers }: ResponseHead,
  { isFile }: UpstreamRequest,
): GatewayError | undefined {
  if (status >= 300 && status < 400 && isFile !== true) {
    return new GatewayError("upstream_failed", "The upstream answered with a redirect.");
  }
  const coding = headers.get("content-encoding");
  if (coding === undefined || coding.toLowerCase() === "identity") return undefined;
  return new GatewayError(
    "upstream_failed",
    "The upstream sent a compressed response, which was not requested.",
  );
}

function discarded(): GatewayError {
  return new GatewayError("canceled", "The response was discarded.");
}

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
