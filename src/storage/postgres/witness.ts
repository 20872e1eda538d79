import type { Clock } from "#lib/clock.ts";

const MAX_GAP_MS = 15_000;

/**
 * Decides if missing heartbeats of other gateways are meaningful. After a
 * database outage all gateways appear silent, so they first get time to send a
 * heartbeat.
 */
export class Witness {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #leaseMs: number;
  /** Three failed heartbeats, or a suspended process. */
  readonly #gapMs: number;
  #heardAt: number;
  #since: number;

  /** `isSteady`: the database was available at the first request. */
  constructor(clock: Pick<Clock, "monotonic">, leaseMs: number, isSteady: boolean) {
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#gapMs = Math.min(MAX_GAP_MS, leaseMs / 2);
    this.#heardAt = clock.monotonic();
    this.#since = isSteady ? -Infinity : this.#heardAt;
  }

  /** A heartbeat of this process succeeded. */
  heard(): void {
    const now = this.#clock.monotonic();
    if (now - this.#heardAt > this.#gapMs) this.#since = now;
    this.#heardAt = now;
  }

  get isReliable(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#heardAt <= this.#gapMs && now - this.#since >= this.#leaseMs;
  }
}
