import { GatewayError } from "#core/error.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { Begun } from "./attempt.ts";
import type { Served, StreamedAnswer } from "./call.ts";
import type { Delivery } from "./deliver.ts";
import type { Endable } from "./open-calls.ts";
import type { Candidate } from "./route.ts";
import type { Settlement } from "./settlement.ts";

/** A stream that began, for its caller: the first byte leaves once the hold is on disk, the last one once the settlement is. */
export async function handOver(
  { callerSignal }: Endable<Served>,
  delivery: Delivery,
  begun: Begun<unknown, Candidate>,
  settlement: Settlement,
): Promise<StreamedAnswer> {
  const { stream } = delivery;
  try {
    await settlement.durable;
  } catch (cause) {
    stream.close();
    begun.release(GatewayError.from(cause));
    throw cause;
  }
  settlement.answering(begun.route, stream, stream);
  return new HandedOver(delivery, begun, settlement, callerSignal);
}

class HandedOver implements StreamedAnswer, EventListenerObject {
  readonly kind = "stream";
  readonly #delivery: Delivery;
  readonly #place: Pick<Begun<unknown>, "release">;
  readonly #settlement: Settlement;
  readonly #callerSignal: AbortSignal;

  constructor(
    delivery: Delivery,
    place: Pick<Begun<unknown>, "release">,
    settlement: Settlement,
    callerSignal: AbortSignal,
  ) {
    this.#delivery = delivery;
    this.#place = place;
    this.#settlement = settlement;
    this.#callerSignal = callerSignal;
    if (callerSignal.aborted) this.handleEvent();
    else callerSignal.addEventListener("abort", this);
  }

  get lost(): readonly string[] {
    return this.#delivery.stream.lost;
  }

  get isTranslated(): boolean {
    return this.#delivery.stream.isTranslated;
  }

  send(sink: Sink): Promise<boolean> {
    this.#callerSignal.removeEventListener("abort", this);
    return this.#delivery.send(sink, this.#settlement, this.#place);
  }

  /** A caller who leaves before the first byte never has the answer sent. */
  handleEvent(): void {
    this.#delivery.stream.close();
    this.#place.release(new GatewayError("canceled", "The caller left before the answer began."));
    void this.#settlement.cancel();
  }
}
