import { systemClock, type Clock } from "./clock.ts";

/** An object with a deadline, which its owner may move. */
export interface Watched {
  /** Monotonic ms. */
  dueAt: number;
  onDue(now: number): void;
  /** Its place among the watched ones, which `Deadlines` sets. */
  slot?: number | undefined;
}

const TICK_MS = 100;

/**
 * Watches many deadlines with one timer. A separate timer for every phase of
 * every call would cost more than the call. Checking thousands of numbers ten
 * times per second is cheap. Deadlines are accurate to a tenth of a second.
 */
export class Deadlines {
  /** Without gaps, in any order: a set takes several times as long to add and delete. */
  readonly #watched: Watched[] = [];
  readonly #clock: Clock;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.monotonic();
  }

  watch(entry: Watched): void {
    if (entry.slot !== undefined) return;
    entry.slot = this.#watched.length;
    this.#watched.push(entry);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Must be called for every watched entry. */
  release(entry: Watched): void {
    const { slot } = entry;
    if (slot === undefined) return;
    entry.slot = undefined;
    const last = this.#watched.pop();
    if (last === undefined || last === entry) return;
    this.#watched[slot] = last;
    last.slot = slot;
  }

  get size(): number {
    return this.#watched.length;
  }

  #tick(): void {
    // The timer ends here and not with its last entry: calls that follow each other would start and
    // stop one each.
    if (this.#watched.length === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const now = this.#clock.monotonic();
    // Collected first, because those that are due may release themselves and others.
    for (const entry of this.#watched.filter(({ dueAt }) => now >= dueAt)) {
      if (entry.slot !== undefined && now >= entry.dueAt) entry.onDue(now);
    }
  }
}
