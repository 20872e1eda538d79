import { GatewayError } from "#core/error.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "./answer-stream.ts";
import type { Begun } from "./attempt.ts";
import type { Settlement } from "./settlement.ts";

export interface DeliverySettings {
  readonly maxEventBytes: number;
  /** Of one event that may hold a picture. */
  readonly maxPictureEventBytes: number;
  /** How long to wait for a first event before the answer's head is sent without one. */
  readonly firstSignMs: number;
  /** After this long without an event a caller is told that we live, where the style has a way. */
  readonly silenceMs: number;
  readonly checkpointMs: number;
  readonly deadlines: Deadlines;
}

/**
 * A stream on its way from an upstream that began to answer to a caller, as
 * fast as the caller takes it and no faster. However it ends (done, broken,
 * hung up, out of quota), what was delivered is settled once, and the caller
 * is never shown a false end.
 */
export class Delivery implements Watched {
  readonly stream: AnswerStream;
  readonly #settings: DeliverySettings;
  readonly #keepAlive: string | undefined;
  readonly #running: Promise<void>;
  /** Until the first piece has come, and until a caller takes it. */
  #beginning: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #attaching: PromiseWithResolvers<void> | undefined = Promise.withResolvers();
  #sink: Sink | undefined;
  #settlement: Settlement | undefined;
  /** Its end was paid for and left: what comes after is no failure of the answer. */
  #hasEnded = false;
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

  /** Sends the answer; true when it came to its proper end. `place` is told how the upstream did. */
  async send(
    sink: Sink,
    settlement: Settlement,
    place: Pick<Begun<unknown>, "release">,
  ): Promise<boolean> {
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
      failure = GatewayError.from(cause);
      await settlement.fail(failure);
      // Many callers hang up at the sight of the end: they have it all.
      if (this.#hasEnded) return true;
      if (failure.code !== "canceled") await sink.write(this.stream.fail(failure));
      return false;
    } finally {
      deadlines.release(this);
      this.stream.close();
      place.release(failure);
      await settlement.cancel();
    }
  }

  onDue(): void {
    this.dueAt = Infinity;
    if (this.#keepAlive !== undefined) void this.#sink?.write(this.#keepAlive);
  }

  readonly #take = (piece: Uint8Array | string): void | Promise<void> => {
    if (this.#sink !== undefined && this.#settlement !== undefined) {
      return this.#write(piece, this.#sink, this.#settlement);
    }
    this.#beginning?.resolve();
    return this.#attaching?.promise.then(() => this.#take(piece));
  };

  #write(piece: Uint8Array | string, sink: Sink, settlement: Settlement): void | Promise<void> {
    const now = this.#settings.deadlines.now();
    this.#listen(now);
    if (this.stream.isEnding) return settlement.complete().then(() => this.#writeEnd(piece, sink));
    if (settlement.isCheckpointDue(now, this.#settings.checkpointMs)) {
      return keepAfloat(settlement).then(() => sink.write(piece));
    }
    return sink.write(piece);
  }

  #writeEnd(piece: Uint8Array | string, sink: Sink): void | Promise<void> {
    this.#hasEnded = true;
    return sink.write(piece);
  }

  #listen(now: number): void {
    this.dueAt = now + this.#settings.silenceMs;
  }
}

async function keepAfloat(settlement: Settlement): Promise<void> {
  if (await settlement.checkpoint()) return;
  throw new GatewayError("out_of_quota", "The quota ran out while this answer was being written.");
}
