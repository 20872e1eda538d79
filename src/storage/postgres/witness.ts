import type { Clock } from "#lib/clock.ts";

/** Three failed heartbeats, or a suspended process. */
const GAP_MS = 15_000;

/**
 * Decides if missing heartbeats of other gateways are meaningful. After a
 * database outage all gateways appear silent, so they first get time to send a
 * heartbeat.
 */
export class Witness {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #patienceMs: number;
  #heardAt: number;
  #since: number;

  /** `isSteady`: the database was available at the first request. */
  constructor(clock: Pick<Clock, "monotonic">, patienceMs: number, isSteady: boolean) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#heardAt = clock.monotonic();
    this.#since = isSteady ? -Infinity : this.#heardAt;
  }

  /** A heartbeat of this process succeeded. */
  heard(): void {
    const now = this.#clock.monotonic();
    if (now - this.#heardAt > GAP_MS) this.#since = now;
    this.#heardAt = now;
  }

  get isReliable(): boolean {
    const now = this.#clock.monotonic();
    return now - this.#heardAt <= GAP_MS && now - this.#since >= this.#patienceMs;
  }
}
