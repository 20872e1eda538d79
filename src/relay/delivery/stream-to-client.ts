import { GatewayError } from "#core/error.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { Begun, StreamedAttempt } from "../failover/attempt.ts";
import type { Served, StreamedAnswer } from "../call.ts";
import type { Delivery } from "./deliver.ts";
import type { Endable } from "../metering/open-calls.ts";
import type { Candidate } from "../routing/route.ts";
import type { Settlement } from "../metering/settlement.ts";

/** Failover after the response head was sent, as long as no content was. */
interface Failover {
  /** If it fails, its `instead` finds the next channel. */
  readonly begun: Begun<Delivery, Candidate>;
  /** Called when no other channel will be tried. */
  onBegun?(begun: Begun<unknown, Candidate>): void;
}

/**
 * Sends a stream to its client: the first byte after the hold is on disk, the last one after the
 * settlement is.
 */
export async function streamToClient(
  { callerSignal }: Endable<Served>,
  delivery: Delivery,
  begun: Begun<unknown, Candidate>,
  settlement: Settlement,
  failover?: Failover,
): Promise<StreamedAnswer> {
  const { stream } = delivery;
  try {
    await settlement.durable;
  } catch (cause) {
    stream.close();
    begun.release(GatewayError.from(cause));
    throw cause;
  }
  settlement.beginMetering(begun.route, stream, stream);
  if (!delivery.hasBegun)
    return new ClientStream(delivery, begun, settlement, callerSignal, failover);
  failover?.onBegun?.(begun);
  return new ClientStream(delivery, begun.attempt, settlement, callerSignal);
}

class ClientStream implements StreamedAnswer, EventListenerObject {
  readonly kind = "stream";
  #delivery: Delivery;
  #place: StreamedAttempt;
  readonly #settlement: Settlement;
  readonly #callerSignal: AbortSignal;
  #failover: Failover | undefined;

  constructor(
    delivery: Delivery,
    place: StreamedAttempt,
    settlement: Settlement,
    callerSignal: AbortSignal,
    failover?: Failover,
  ) {
    this.#delivery = delivery;
    this.#place = place;
    this.#settlement = settlement;
    this.#callerSignal = callerSignal;
    this.#failover = failover;
    if (callerSignal.aborted) this.handleEvent();
    else callerSignal.addEventListener("abort", this);
  }

  get lost(): readonly string[] {
    return this.#delivery.stream.lost;
  }

  get isTranslated(): boolean {
    return this.#delivery.stream.isTranslated;
  }

  async send(sink: Sink): Promise<boolean> {
    this.#callerSignal.removeEventListener("abort", this);
    const failure = this.#failover && (await this.#awaitContent(this.#failover, sink));
    if (failure === undefined) return this.#delivery.send(sink, this.#settlement, this.#place);
    await this.#delivery.abandon(failure, sink, this.#settlement, this.#place);
    return false;
  }

  /**
   * Sends the response head early, so that the client does not time out. Until the first content,
   * another channel may take over. Returns the failure if no channel responds.
   */
  async #awaitContent(failover: Failover, sink: Sink): Promise<GatewayError | undefined> {
    using _awake = this.#delivery.keepAwake(sink);
    let { begun } = failover;
    for (;;) {
      try {
        await begun.answer.whenBegun();
        failover.onBegun?.(begun);
        this.#failover = undefined;
        this.#place = begun.attempt;
        return undefined;
      } catch (cause) {
        try {
          begun = await begun.instead(cause);
        } catch (last) {
          return GatewayError.from(last);
        }
        // No part of it was sent.
        this.#delivery.stream.close();
        this.#delivery = begun.answer;
        this.#place = begun;
        this.#settlement.beginMetering(begun.route, begun.answer.stream, begun.answer.stream);
      }
    }
  }

  /** If the client leaves before the first byte, the response body is never read. */
  handleEvent(): void {
    this.#delivery.stream.close();
    this.#place.release(
      new GatewayError("canceled", "The client disconnected before the answer began."),
    );
    void this.#settlement.cancel();
  }
}
