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
  /** Of one event that may hold a picture. */
  readonly maxPictureEventBytes: number;
  /** How long to wait for a first event before the answer's head is sent without one. */
  readonly firstSignMs: number;
  /** After this long without an event a caller is told that we live, where the style has a way. */
  readonly silenceMs: number;
  readonly checkpointMs: number;
  /** Of all answers together. */
  readonly buffered: BufferedBytes;
  readonly deadlines: Deadlines;
}

/**
 * A stream on its way from an upstream that began to answer to a caller, as
 * fast as the caller takes it and no faster. However it ends (done, broken,
 * hung up, out of quota), what was delivered is settled once, and the caller
 * is never shown a false end.
 */
export class Delivery implements Watched, SlowReader {
  readonly stream: AnswerStream;
  readonly #settings: DeliverySettings;
  readonly #keepAlive: string | undefined;
  readonly #running: Promise<void>;
  /** Until the first piece has come, and until a caller takes it. */
  #beginning: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #attaching: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #hasBegun = false;
  #sink: Sink | undefined;
  #settlement: Settlement | undefined;
  /** Its end was paid for and left: what comes after is no failure of the answer. */
  #hasEnded = false;
  /** Written, and not taken by the reader. */
  #behindBytes = 0;
  #giveUp: ((cause: GatewayError) => void) | undefined;
  #isShed = false;
  /** Whose text the settlement has not collected. */
  #uncollectedBytes = 0;
  dueAt = Infinity;

  private constructor(
    stream: AnswerStream,
    settings: DeliverySettings,
    keepAlive: string | undefined,
  ) {
    this.stream = stream;
    this.#keepAlive = keepAlive;
    this.#settings = settings;
    this.#running = stream.run(this.#take);
    // Told to whoever sends the answer, or before that to whoever waits for its beginning.
    this.#running.catch(() => {});
  }

  /**
   * Resolves at the first piece, which waits for a caller to take it: until
   * then another channel can take over. A slow first piece is no reason to
   * keep the caller without a sign of life, so there is an end to that.
   */
  static async begin(
    stream: AnswerStream,
    settings: DeliverySettings,
    keepAlive: string | undefined,
  ): Promise<Delivery> {
    const delivery = new Delivery(stream, settings, keepAlive);
    const { promise: patience, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, settings.firstSignMs);
    try {
      await Promise.race([delivery.#beginning?.promise, delivery.#running, patience]);
      return delivery;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A piece of the answer has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Resolves at the first piece; rejects if the answer fails before. */
  async whenBegun(): Promise<void> {
    await Promise.race([this.#beginning?.promise, this.#running]);
  }

  /** Tells a caller that we live, as long as nothing comes that could be sent. */
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

  /** Ends an answer that never began. */
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

  /** Sends the answer; true when it came to its proper end. `place` is told how the upstream did. */
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
      return true;
    } catch (cause) {
      failure = place.disclose(GatewayError.from(cause));
      await settlement.fail(failure);
      // Many callers hang up at the sight of the end: they have it all.
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

  /** Ends the answer: too much waits for slow readers, and this one has been behind for longest. */
  shed(): void {
    this.#isShed = true;
    this.#giveUp?.(
      new GatewayError(
        "overloaded",
        "The answer was ended because it was read too slowly, and the gateway's buffers are full.",
      ),
    );
  }

  onDue(now: number): void {
    this.dueAt = Infinity;
    // A reader who is behind has something to read.
    if (this.#behindBytes > 0) this.#countBehind(now);
    else if (this.#keepAlive !== undefined) this.#showLife(this.#keepAlive, now);
  }

  /** Again and again, for as long as the upstream is silent; not to who does not read it. */
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

  /** The text of a long answer is not kept until its end. */
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

  /** What a socket does not take at once is copied: of a large piece only a part at a time. */
  async #writeInParts(piece: Uint8Array | string, sink: Sink): Promise<void> {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : viewOf(piece);
    for (let at = 0; at < bytes.length;) {
      const end = endOfPart(bytes, at);
      const taken = sink.write(bytes.subarray(at, end));
      if (taken !== undefined) await this.#await(taken, bytes.length - at);
      at = end;
    }
  }

  /** Until a reader who is behind has taken what was written, or is given up. */
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

  /** A reader who was given up may never take it. */
  async #tell(failure: GatewayError, sink: Sink): Promise<void> {
    const told = sink.write((this.#isShed ? "\n\n" : "") + this.stream.fail(failure));
    if (this.#isShed) told?.catch(() => {});
    else await told;
  }

  #listen(now: number): void {
    this.dueAt = now + this.#settings.silenceMs;
  }
}

/** What is written at once: whatever a reader does not take of it is held by the runtime. */
const MAX_WRITE_BYTES = 64 * 1024;
const COLLECT_BYTES = 64 * 1024;
/** How often what waits for a slow reader is counted. */
const RECOUNT_MS = 1_000;

/** Between two events, if there is a place between them. */
function endOfPart(bytes: Buffer, start: number): number {
  const end = start + MAX_WRITE_BYTES;
  if (end >= bytes.length) return bytes.length;
  const last = bytes.subarray(start, end).lastIndexOf("\n\n");
  return last < 0 ? end : start + last + 2;
}

async function keepAfloat(settlement: Settlement): Promise<void> {
  if (await settlement.checkpoint()) return;
  throw new GatewayError("out_of_quota", "The quota ran out while this answer was being written.");
}
