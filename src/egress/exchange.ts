import { GatewayError } from "#core/error.ts";
import { HttpViolation, ResponseReader } from "#lib/http1.ts";
import type { Connection, Connections, Destination, Listener } from "./connections.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { OnPiece, UpstreamLimits, UpstreamReply, UpstreamRequest } from "./upstream.ts";

/** What may wait for its reader before the connection is paused. */
const MAX_WAITING_BYTES = 256 * 1024;
const NO_HEADERS: ReadonlyMap<string, string> = new Map();

/** One request and its answer, on a connection that is its own until it is closed. */
export class Exchange implements UpstreamReply, Watched, Listener {
  readonly #limits: UpstreamLimits;
  readonly #deadlines: Deadlines;
  readonly #request: UpstreamRequest;
  readonly #open: Set<Exchange>;
  readonly #totalAt: number;
  readonly #reader = new ResponseReader();
  #connection: Connection | undefined;
  /** True at the head, false where the connection closed without a byte. */
  #answered = quiet(Promise.withResolvers<boolean>());
  #failure: GatewayError | undefined;
  #isClosed = false;

  #onPiece: OnPiece | undefined;
  readonly #ended = quiet(Promise.withResolvers<void>());
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
    this.#totalAt = now + limits.totalMs;
    this.dueAt = Math.min(this.#totalAt, now + limits.connectMs);
    open.add(this);
    deadlines.watch(this);
    if (request.signal?.aborted) this.#onCallerGone();
    else request.signal?.addEventListener("abort", this.#onCallerGone, { once: true });
  }

  get status(): number {
    return this.#reader.head?.status ?? 0;
  }

  get headers(): ReadonlyMap<string, string> {
    return this.#reader.head?.headers ?? NO_HEADERS;
  }

  /** Sends the request and waits for the answer's head. */
  async begin(connections: Connections, text: string): Promise<void> {
    const { pool, url } = this.#request;
    const reused = connections.reuse(pool, this);
    // The server may have closed an idle connection just as we wrote: then nobody read the request.
    if (reused !== undefined && (await this.#sendOn(reused, text))) return;

    const fresh = await this.#connect(connections, pool, destinationOf(url));
    if (await this.#sendOn(fresh, text)) return;
    throw new GatewayError("upstream_failed", "The upstream closed the connection without an answer.");
  }

  pump(onPiece: OnPiece): Promise<void> {
    this.#onPiece = onPiece;
    this.#handOver();
    return this.#ended.promise;
  }

  async readAll(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let sizeBytes = 0;
    await this.pump((piece) => {
      sizeBytes += piece.length;
      if (sizeBytes > this.#limits.answerBytes) {
        throw new GatewayError("upstream_failed", "The upstream's answer is too large.");
      }
      pieces.push(piece);
    });
    const [only] = pieces;
    return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, sizeBytes);
  }

  abort(reason: GatewayError): void {
    if (this.#failure !== undefined || this.#isClosed) return;
    this.#failure = reason;
    this.#waiting = [];
    this.#letGo(false);
    this.#answered.reject(reason);
    this.#ended.reject(reason);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#open.delete(this);
    this.#deadlines.release(this);
    this.#request.signal?.removeEventListener("abort", this.#onCallerGone);
    this.#letGo(this.#reader.isReusable);
  }

  onData(bytes: Buffer): void {
    try {
      const piece = this.#reader.push(bytes);
      if (this.#reader.head !== undefined) this.#answered.resolve(true);
      if (piece === undefined) this.#handOver();
      else this.#deliver(piece);
    } catch (cause) {
      this.abort(broken(cause));
    }
  }

  onClose(): void {
    this.#connection = undefined;
    if (this.#reader.isUntouched) {
      this.#answered.resolve(false);
      return;
    }
    try {
      this.#reader.close();
      this.#handOver();
    } catch (cause) {
      this.abort(broken(cause));
    }
  }

  onDue(now: number): void {
    this.dueAt = Infinity;
    if (this.#connection === undefined) {
      this.abort(new GatewayError("upstream_unreachable", "The upstream could not be reached in time."));
    } else {
      const what = now >= this.#totalAt ? "took too long" : this.#reader.head === undefined ? "did not answer in time" : "stopped answering";
      this.abort(new GatewayError("upstream_timeout", `The upstream ${what}.`));
    }
  }

  async #connect(connections: Connections, pool: string, to: Destination): Promise<Connection> {
    this.#answered = quiet(Promise.withResolvers());
    const opening = connections.open(pool, to, this);
    // Given up while it is being opened: then it is of no use when it is.
    opening.then((late) => this.#failure !== undefined && late.release(false)).catch(() => {});
    const given = await Promise.race([opening, this.#ended.promise]);
    if (given === undefined || this.#failure !== undefined) throw this.#failure;
    return given;
  }

  #sendOn(connection: Connection, text: string): Promise<boolean> {
    this.#connection = connection;
    const wait = this.#request.isStream ? this.#limits.firstByteMs : this.#limits.unaryMs;
    this.dueAt = Math.min(this.#totalAt, this.#deadlines.now() + wait);
    connection.write(text);
    return this.#answered.promise;
  }

  /** Straight to whoever takes it, where nothing came before that still waits. */
  #deliver(piece: Uint8Array): void {
    if (this.#onPiece === undefined || this.#isBusy || this.#waiting.length > 0) {
      this.#waiting.push(piece);
      this.#waitingBytes += piece.length;
      if (this.#waitingBytes > MAX_WAITING_BYTES) this.#pause();
      return;
    }
    if (this.#give(piece)) this.#rest();
  }

  /** Gives what waited to whoever takes it, until there is no more or no more is wanted. */
  #handOver(): void {
    if (this.#onPiece === undefined || this.#isBusy) return;
    for (let piece = this.#waiting.shift(); piece !== undefined; piece = this.#waiting.shift()) {
      this.#waitingBytes -= piece.length;
      if (!this.#give(piece)) return;
    }
    this.#rest();
  }

  /** False where the taker wants no more for now. */
  #give(piece: Uint8Array): boolean {
    const wait = this.#offer(piece);
    if (wait === undefined) return true;
    // Nobody waits for the upstream meanwhile: only the total counts.
    this.#isBusy = true;
    this.dueAt = this.#totalAt;
    this.#pause();
    wait.then(this.#onReady, this.#onRefused);
    return false;
  }

  #rest(): void {
    if (this.#reader.isOver) this.#ended.resolve();
    else this.dueAt = Math.min(this.#totalAt, this.#deadlines.now() + this.#limits.idleMs);
  }

  #offer(piece: Uint8Array): Promise<void> | undefined {
    try {
      return this.#onPiece?.(piece) ?? undefined;
    } catch (cause) {
      this.#onRefused(cause);
      return undefined;
    }
  }

  readonly #onReady = (): void => {
    this.#isBusy = false;
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#connection?.resume();
    }
    this.#handOver();
  };

  /** The taker failed, so there is nobody to go on for; it is told its own failure. */
  readonly #onRefused = (cause: unknown): void => {
    this.abort(GatewayError.from(cause));
  };

  readonly #onCallerGone = (): void => {
    this.abort(new GatewayError("canceled", "The caller hung up."));
  };

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#connection?.pause();
  }

  #letGo(isReusable: boolean): void {
    if (this.#isPaused) this.#connection?.resume();
    this.#connection?.release(isReusable);
    this.#connection = undefined;
  }
}

/** A failure is told to whoever waits; where nobody does, nobody needs it. */
function quiet<T>(resolvers: PromiseWithResolvers<T>): PromiseWithResolvers<T> {
  resolvers.promise.catch(() => {});
  return resolvers;
}

function destinationOf(url: URL): Destination {
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, isSecure };
}

function broken(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  const message = cause instanceof HttpViolation ? "The upstream's answer broke off or is malformed." : "The upstream's answer could not be read.";
  return new GatewayError("upstream_failed", message, { cause });
}
