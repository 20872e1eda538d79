import { GatewayError } from "#core/error.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import { HttpViolation, ResponseReader, type Fields } from "#lib/http1.ts";
import { LARGE_BYTES, yieldToEventLoop } from "#lib/yield-to-event-loop.ts";
import { gather, Pieces } from "#lib/pieces.ts";
import type { Connection, Connections, Destination, Listener } from "./connections.ts";
import type { OnPiece, UpstreamLimits, UpstreamReply, UpstreamRequest } from "./egress.ts";
import { abortReason } from "./abort-reason.ts";
import { hostOf, portOf } from "./guard.ts";
import { withoutOwn } from "./redact-own.ts";

/**
 * What may wait for its taker before the connection is paused. Most waits are
 * over before anything else comes, and pausing costs several system calls.
 */
const MAX_WAITING_BYTES = 64 * 1024;
/** What a piece takes up besides its bytes. */
const PIECE_BYTES = 512;
/** A server that closed an idle connection before it saw our request is heard of within a round trip. */
const RACE_MS = 2_000;
/** For what a failure says beside its status. */
const FAILURE_MS = 5_000;
/** Characters or bytes. */
const BIG_REQUEST = 1024 * 1024;
const NO_HEADERS: Fields = new Map();

/** One request and its answer, on a connection that is its own until it is closed. */
export class Exchange implements UpstreamReply, Watched, Listener, EventListenerObject {
  readonly #limits: UpstreamLimits;
  readonly #deadlines: Deadlines;
  readonly #request: UpstreamRequest;
  readonly #open: Set<Exchange>;
  #totalAt: number;
  readonly #reader = new ResponseReader();
  #connection: Connection | undefined;
  /** Undefined while there is no connection to send on. */
  #sentAt: number | undefined;
  /** True at the head, false where the connection closed without a byte. */
  #answered: PromiseWithResolvers<boolean> | undefined;
  #hasHead = false;
  #failure: GatewayError | undefined;
  #isClosed = false;

  #onPiece: OnPiece | undefined;
  readonly #ended = quiet(Promise.withResolvers<void>());
  #hasEnded = false;
  /** Broke the answer off; told once all that came before was taken. */
  #break: GatewayError | undefined;
  /** Came while nobody took it. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The taker asked for no more until it is ready. */
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

  /** Sends the request, head and body, which it takes out of the outbox, and waits for the answer's head. */
  async begin(connections: Connections, outbox: Outbox): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    const { pool, url, isOnce } = this.#request;
    const to = destinationOf(url);
    // A large request would have to be kept for a second connection until it is answered.
    const isBig = lengthOf(outbox.written) > BIG_REQUEST;
    const reused = isBig || isOnce ? undefined : connections.reuse(pool, to, this);
    if (reused !== undefined) {
      if (await this.#sendOn(reused, outbox.written)) return;
      // The server may have closed an idle connection just as we wrote: then nobody read the request.
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
    this.#handOver();
    return this.#ended.promise;
  }

  async readAll(): Promise<Uint8Array> {
    const announced = Number(this.headers.get("content-length") ?? 0);
    if (announced > this.#limits.answerBytes) throw tooLarge();
    // Room for all of it from the beginning: it is copied as it comes, and never held twice.
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
    return pieces.length === 1 && only !== undefined ? only : await gather(new Pieces(pieces));
  }

  async readFailure(maxChars: number): Promise<string> {
    // Whoever else might answer is waiting.
    this.#totalAt = Math.min(this.#totalAt, this.#deadlines.now() + FAILURE_MS);
    const text = new TextDecoder().decode(await this.readAll().catch(asNothing));
    return withoutOwn(text, this.#request).slice(0, maxChars);
  }

  abort(reason: GatewayError): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = reason;
    this.#stop(false);
    this.#answered?.reject(reason);
    this.#ended.reject(reason);
  }

  /** The caller is gone. */
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
    // Whoever still reads from it would wait for ever.
    if (!this.#hasEnded) this.#ended.reject(new GatewayError("canceled", "The answer was let go."));
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
    if (piece === undefined) this.#handOver();
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
      this.#handOver();
    } catch (cause) {
      this.#breakOff(cause);
    }
  }

  onDue(now: number): void {
    this.dueAt = Infinity;
    if (this.#sentAt === undefined) {
      this.abort(
        new GatewayError("upstream_unreachable", "The upstream could not be reached in time."),
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
    // A whole answer is nothing to anybody before its end: however it drips, it has so long for all of it.
    if (!isStream && isFile !== true) this.#totalAt = Math.min(this.#totalAt, now + unaryMs);
    const longest = isStream && !isSlow ? firstByteMs : unaryMs;
    this.dueAt = Math.min(this.#totalAt, now + Math.min(longest, headMs));
    const answered = quiet(Promise.withResolvers<boolean>());
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
    // Until somebody takes the body, nobody waits for it.
    this.dueAt = this.#totalAt;
    this.#answered?.resolve(true);
    this.#answered = undefined;
  }

  /** Straight to whoever takes it. While somebody is ready to, nothing waits. */
  #deliver(piece: Uint8Array): void {
    if (this.#onPiece === undefined || this.#isBusy) {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length + PIECE_BYTES;
      if (this.#waitingBytes > MAX_WAITING_BYTES) this.#pause();
      return;
    }
    if (this.#give(piece)) this.#rest();
  }

  /** Gives what waited to whoever takes it, until there is no more or no more is wanted. */
  #handOver(): void {
    if (this.#onPiece === undefined || this.#isBusy) return;
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      this.#waitingBytes -= piece.length + PIECE_BYTES;
      if (!this.#give(piece)) return;
    }
    this.#resume();
    this.#rest();
  }

  /** False where the taker wants no more, for now or for good. */
  #give(piece: Uint8Array): boolean {
    let wait: void | Promise<void>;
    try {
      wait = this.#onPiece?.(piece);
    } catch (cause) {
      this.#onRefused(cause);
      return false;
    }
    if (wait === undefined) return this.#onPiece !== undefined;
    // Nobody waits for the upstream meanwhile: only the total counts.
    this.#isBusy = true;
    // A reader who is behind with this much would be so with what comes next.
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
    this.#handOver();
  }

  /** The taker failed, so there is nobody to go on for; it is told its own failure. */
  #onRefused(cause: unknown): void {
    this.abort(GatewayError.from(cause));
  }

  /** What came before is the taker's, in its own time. */
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

/** What is to be written until it is, so that nobody holds it who waits for the answer. */
interface Outbox {
  written: Written;
}

/** Roughly, and without looking at it. */
function lengthOf(written: Written): number {
  return typeof written === "string" ? written.length : written.sizeBytes;
}

function taken(outbox: Outbox): Written {
  const { written } = outbox;
  outbox.written = "";
  return written;
}

/** A failure is told to whoever waits; where nobody does, nobody needs it. */
function quiet<T>(resolvers: PromiseWithResolvers<T>): PromiseWithResolvers<T> {
  resolvers.promise.catch(() => {});
  return resolvers;
}

const destinations = new WeakMap<URL, Destination>();

/** Read once for each URL: it is the same for all calls of a channel. */
function destinationOf(url: URL): Destination {
  let known = destinations.get(url);
  if (known === undefined) {
    known = { host: hostOf(url), port: portOf(url), isSecure: url.protocol === "https:" };
    destinations.set(url, known);
  }
  return known;
}

/** Half of what a failure says may hold half of a secret; its status says enough. */
function asNothing(cause: unknown): Uint8Array {
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

/** In our words; those of the cause may hold addresses. */
function unreachable(cause: unknown): GatewayError {
  return new GatewayError("upstream_unreachable", "The upstream could not be reached.", { cause });
}

function broken(cause: unknown): GatewayError {
  const isMalformed = cause instanceof HttpViolation;
  const how = isMalformed ? "broke off or is malformed" : "could not be read";
  return new GatewayError("upstream_failed", `The upstream's answer ${how}.`, { cause });
}
