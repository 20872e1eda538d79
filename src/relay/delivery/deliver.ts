import { GatewayError } from "#core/error.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Sink } from "#lib/push-stream.ts";
import { viewOf } from "#lib/sse-bytes.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { StreamedAttempt } from "../failover/attempt.ts";
import type { BufferedBytes, SlowReader } from "./buffered-bytes.ts";
import type { Settlement } from "../metering/settlement.ts";

export interface DeliverySettings {
  readonly maxEventBytes: number;
  /** Maximum size of one event that may contain an image. */
  readonly maxPictureEventBytes: number;
  /** Time to wait for a first event before the response head is sent without one. */
  readonly firstSignMs: number;
  /** After this time without an event, a keep-alive is sent to the client, if the style has one. */
  readonly silenceMs: number;
  readonly checkpointMs: number;
  /** The total of all responses. */
  readonly buffered: BufferedBytes;
  readonly deadlines: Deadlines;
  /** Returns a function that is called for each piece of a call's answer; absent without telemetry. */
  readonly watchPieces?: ((callId: string) => NotePiece) | undefined;
}

/** The bytes are lent: they change after the call. */
type NotePiece = (piece: Uint8Array | string) => void;

/**
 * A response stream from an upstream to a client, with backpressure. On every end (complete,
 * broken, client disconnected, quota exhausted), the delivered part is settled once, and the client
 * never sees a false end.
 */
export class Delivery implements Watched, SlowReader {
  readonly stream: AnswerStream;
  readonly #settings: DeliverySettings;
  readonly #keepAlive: string | undefined;
  readonly #running: Promise<void>;
  /** Pending until the first piece arrives, and until it is taken. */
  #beginning: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #attaching: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #hasBegun = false;
  #sink: Sink | undefined;
  #settlement: Settlement | undefined;
  /** The end was settled and sent: later errors are no failure of the response. */
  #hasEnded = false;
  /** Written, but not yet read by the client. */
  #behindBytes = 0;
  #giveUp: ((cause: GatewayError) => void) | undefined;
  #isShed = false;
  /** Bytes of output text that the settlement has not collected. */
  #uncollectedBytes = 0;
  dueAt = Infinity;
  slot: number | undefined;

  private constructor(
    stream: AnswerStream,
    settings: DeliverySettings,
    keepAlive: string | undefined,
    notePiece: NotePiece | undefined,
  ) {
    this.stream = stream;
    this.#keepAlive = keepAlive;
    this.#settings = settings;
    const take = this.#take;
    const noted = notePiece && ((piece: Uint8Array | string) => (notePiece(piece), take(piece)));
    this.#running = stream.run(noted ?? take);
  }

  /**
   * Resolves at the first piece, which stays unsent: until then another channel can take over. If
   * it is slow, resolves after a limit, so that the client gets a sign of life.
   */
  static async begin(
    stream: AnswerStream,
    settings: DeliverySettings,
    keepAlive: string | undefined,
    notePiece?: NotePiece,
  ): Promise<Delivery> {
    const delivery = new Delivery(stream, settings, keepAlive, notePiece);
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, settings.firstSignMs);
    try {
      await Promise.race([delivery.#beginning?.promise, delivery.#running, patience]);
      return delivery;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first piece of the response has arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves at the first piece; rejects if the response fails before. */
  async whenBegun(): Promise<void> {
    await Promise.race([this.#beginning?.promise, this.#running]);
  }

  /** Sends keep-alives to the client until content can be sent. */
  keepAwake(sink: Sink): Disposable {
    const { deadlines, silenceMs } = this.#settings;
    const keepAlive = this.#keepAlive;
    const watched: Watched = {
      dueAt: deadlines.now() + silenceMs,
      onDue(now) {
        this.dueAt = now + silenceMs;
        if (keepAlive !== undefined) void sink.write(keepAlive);
      },
    };
    deadlines.watch(watched);
    return { [Symbol.dispose]: () => deadlines.release(watched) };
  }

  /** Ends a response that never started. */
  async abandon(
    failure: GatewayError,
    sink: Sink,
    settlement: Settlement,
    place: Pick<StreamedAttempt, "release">,
  ): Promise<void> {
    await settlement.fail(failure);
    if (failure.code !== "canceled") await this.#tell(failure, sink);
    this.stream.close();
    place.release(failure);
  }

  /** Sends the response; true if it is complete. `place` gets the upstream's outcome. */
  async send(sink: Sink, settlement: Settlement, place: StreamedAttempt): Promise<boolean> {
    const { deadlines } = this.#settings;
    let failure: GatewayError | undefined;
    this.#sink = sink;
    this.#settlement = settlement;
    this.#attaching?.resolve();
    this.#beginning = undefined;
    this.#attaching = undefined;
    this.#listen(deadlines.now());
    deadlines.watch(this);
    try {
      await this.#running;
      await settlement.complete();
      const { trailer } = settlement;
      if (trailer !== undefined) await sink.write(trailer);
      return true;
    } catch (cause) {
      failure = place.disclose(GatewayError.from(cause));
      await settlement.fail(failure);
      // Many clients disconnect after the final event: the response is complete.
      if (this.#hasEnded) return true;
      if (failure.code !== "canceled") await this.#tell(failure, sink);
      return false;
    } finally {
      deadlines.release(this);
      this.#settings.buffered.release(this);
      this.stream.close();
      place.release(failure);
      await settlement.cancel();
    }
  }

  /**
   * Ends the response: too many bytes wait for slow clients, and this one has been behind for
   * longest.
   */
  shed(): void {
    this.#isShed = true;
    this.#giveUp?.(
      new GatewayError(
        "overloaded",
        "The answer was aborted because it was read too slowly and the gateway's buffers are full.",
      ),
    );
  }

  onDue(now: number): void {
    this.dueAt = Infinity;
    // A client that is behind has unread data, so it needs no keep-alive.
    if (this.#behindBytes > 0) this.#countBehind(now);
    else if (this.#keepAlive !== undefined) this.#showLife(this.#keepAlive, now);
  }

  /** Repeats keep-alives while the upstream is silent; not to a client that does not read. */
  #showLife(sign: string, now: number): void {
    const taken = this.#sink?.write(sign);
    if (taken === undefined) this.#listen(now);
    else taken.then(() => this.#listen(this.#settings.deadlines.now())).catch(() => {});
  }

  readonly #take = (piece: Uint8Array | string): void | Promise<void> => {
    if (this.#sink !== undefined && this.#settlement !== undefined) {
      return this.#write(piece, this.#sink, this.#settlement);
    }
    this.#hasBegun = true;
    this.#beginning?.resolve();
    return this.#attaching?.promise.then(() => this.#take(piece));
  };

  #write(piece: Uint8Array | string, sink: Sink, settlement: Settlement): void | Promise<void> {
    const now = this.#settings.deadlines.now();
    this.#listen(now);
    this.#collect(piece, settlement);
    if (this.stream.isEnding) return settlement.complete().then(() => this.#writeEnd(piece, sink));
    if (settlement.isCheckpointDue(now, this.#settings.checkpointMs)) {
      return keepAfloat(settlement).then(() => this.#writeOut(piece, sink));
    }
    return this.#writeOut(piece, sink);
  }

  #writeEnd(piece: Uint8Array | string, sink: Sink): void | Promise<void> {
    this.#hasEnded = true;
    return this.#writeOut(piece, sink);
  }

  /** The text of a long response is counted in parts, not kept until its end. */
  #collect(piece: Uint8Array | string, settlement: Settlement): void {
    this.#uncollectedBytes += piece.length;
    if (this.#uncollectedBytes < COLLECT_BYTES) return;
    this.#uncollectedBytes = 0;
    settlement.collect();
  }

  #writeOut(piece: Uint8Array | string, sink: Sink): void | Promise<void> {
    if (piece.length > MAX_WRITE_BYTES) return this.#writeInParts(piece, sink);
    const taken = sink.write(piece);
    return taken === undefined ? undefined : this.#await(taken, piece.length);
  }

  /** The runtime copies unsent bytes, so a large piece is written in parts. */
  async #writeInParts(piece: Uint8Array | string, sink: Sink): Promise<void> {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : viewOf(piece);
    for (let at = 0; at < bytes.length;) {
      const end = endOfPart(bytes, at);
      const taken = sink.write(bytes.subarray(at, end));
      if (taken !== undefined) await this.#await(taken, bytes.length - at);
      at = end;
    }
  }

  /** Waits until the client has read the written bytes, or is disconnected. */
  async #await(taken: Promise<void>, bytes: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { buffered, deadlines } = this.#settings;
    this.#giveUp = reject;
    this.#behindBytes = bytes;
    taken.then(resolve, reject);
    this.#countBehind(deadlines.now());
    try {
      await promise;
    } finally {
      this.#giveUp = undefined;
      this.#behindBytes = 0;
      buffered.release(this);
      this.#listen(deadlines.now());
    }
  }

  #countBehind(now: number): void {
    this.#settings.buffered.hold(this, this.#behindBytes + (this.stream.waitingBytes ?? 0));
    this.dueAt = now + RECOUNT_MS;
  }

  /** A disconnected client may never read it. */
  async #tell(failure: GatewayError, sink: Sink): Promise<void> {
    const told = sink.write((this.#isShed ? "\n\n" : "") + this.stream.fail(failure));
    if (this.#isShed) told?.catch(() => {});
    else await told;
  }

  #listen(now: number): void {
    this.dueAt = now + this.#settings.silenceMs;
  }
}

/** Maximum size of one write: the runtime holds the bytes that the client has not read. */
const MAX_WRITE_BYTES = 64 * 1024;
const COLLECT_BYTES = 64 * 1024;
/** Interval for counting the bytes that wait for a slow client. */
const RECOUNT_MS = 1_000;

/** The end of an event within the limit, if one exists. */
function endOfPart(bytes: Buffer, start: number): number {
  const end = start + MAX_WRITE_BYTES;
  if (end >= bytes.length) return bytes.length;
  const last = bytes.subarray(start, end).lastIndexOf("\n\n");
  return last < 0 ? end : start + last + 2;
}

async function keepAfloat(settlement: Settlement): Promise<void> {
  if (await settlement.checkpoint()) return;
  throw new GatewayError("out_of_quota", "The quota ran out during this answer.");
}
