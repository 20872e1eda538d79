import { systemClock, type Clock } from "./clock.ts";

/** Something with a moment after which it is given up. Its owner moves the moment along. */
export interface Watched {
  /** Monotonic ms. */
  dueAt: number;
  onDue(now: number): void;
}

const TICK_MS = 100;

/**
 * Watches many deadlines with one timer. A timer of its own for every phase of
 * every call would cost more than the call; looking at thousands of numbers
 * ten times a second costs nothing. Deadlines are kept to a tenth of a second.
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

  /** Must be called for everything that was watched. */
  release(entry: Watched): void {
    this.#watched.delete(entry);
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get size(): number {
    return this.#watched.size;
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    for (const entry of this.#watched) if (now >= entry.dueAt) entry.onDue(now);
  }
}
