import type { Clock } from "#lib/clock.ts";

/** Three signs of life that failed, or a process that slept. */
const GAP_MS = 15_000;

/**
 * Knows whether the silence of others says anything. While the database is
 * away nobody is heard of, and when it is back everybody has been silent for
 * as long as whoever looks first: then the others are given time to speak.
 */
export class Witness {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #patienceMs: number;
  #heardAt: number;
  #since: number;

  /** `isSteady`: the database was there when it was asked first. */
  constructor(clock: Pick<Clock, "monotonic">, patienceMs: number, isSteady: boolean) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
    this.#heardAt = clock.monotonic();
    this.#since = isSteady ? -Infinity : this.#heardAt;
  }

  /** A sign of life of this process was taken. */
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
