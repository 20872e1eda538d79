import { systemClock, type Clock } from "./clock.ts";

/** An object with a deadline, which its owner may move. */
export interface Watched {
  /** Monotonic ms. */
  dueAt: number;
  onDue(now: number): void;
}

const TICK_MS = 100;

/**
 * Watches many deadlines with one timer. A separate timer for every phase of
 * every call would cost more than the call. Checking thousands of numbers ten
 * times per second is cheap. Deadlines are accurate to a tenth of a second.
 */
export class Deadlines {
  readonly #watched = new Set<Watched>();
  readonly #clock: Clock;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.monotonic();
  }

  watch(entry: Watched): void {
    this.#watched.add(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Must be called for every watched entry. */
  release(entry: Watched): void {
    this.#watched.delete(entry);
  }

  get size(): number {
    return this.#watched.size;
  }

  #tick(): void {
    // The timer ends here and not with its last entry: calls that follow each other would start and
    // stop one each.
    if (this.#watched.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = this.#clock.monotonic();
    for (const entry of this.#watched) if (now >= entry.dueAt) entry.onDue(now);
  }
}
