const WINDOW_MS = 10_000;
const BUCKET_MS = 1_000;
const MIN_CALLS = 20;
const FAILURES_IN_A_ROW = 5;
const OPEN_MS = 5_000;

export type BreakerState = "closed" | "open" | "half-open";

/** A running call, as its breaker tracks it. */
export interface Passage {
  /** The number of times the breaker had opened when the call started. */
  readonly openings: number;
  readonly isProbe: boolean;
}

/**
 * A circuit breaker. It opens if half of at least twenty calls in ten seconds failed, or five in a
 * row. After a cooldown it is half-open: one call decides. A call counts once, at its end. A call
 * that started before the breaker opened does not count: a long stream reports an old state.
 */
export class Breaker {
  #buckets: { at: number; calls: number; failures: number }[] = [];
  #failuresInARow = 0;
  #openUntil = 0;
  #openings = 0;
  #isOpen = false;
  #probedAt: number | undefined;

  state(now: number): BreakerState {
    if (!this.#isOpen) return "closed";
    // A probe may be a stream of many minutes, so others may try after a while.
    const isProbing = this.#probedAt !== undefined && now < this.#probedAt + OPEN_MS;
    return now < this.#openUntil || isProbing ? "open" : "half-open";
  }

  /** Ms until a call may pass. */
  cooldownMs(now: number): number {
    return this.#isOpen ? Math.max(0, this.#openUntil - now) : 0;
  }

  enter(now: number): Passage {
    const isProbe = this.state(now) === "half-open";
    if (isProbe) this.#probedAt = now;
    return isProbe ? { openings: this.#openings, isProbe } : this.#usual();
  }

  /** `didFail`: undefined if the call ended for a reason other than the upstream. */
  leave(passage: Passage, didFail: boolean | undefined, now: number): void {
    if (passage.isProbe) this.#probedAt = undefined;
    if (didFail === undefined || passage.openings !== this.#openings) return;
    if (didFail) this.#failed(now);
    else this.#succeeded(now);
  }

  /** The same object for all calls between two openings. */
  #usual(): Passage {
    if (this.#passage.openings !== this.#openings) {
      this.#passage = { openings: this.#openings, isProbe: false };
    }
    return this.#passage;
  }
  #passage: Passage = { openings: 0, isProbe: false };

  #succeeded(now: number): void {
    this.#failuresInARow = 0;
    if (this.#isOpen) this.#buckets = [];
    this.#isOpen = false;
    this.#count(now, 0);
  }

  #failed(now: number): void {
    this.#failuresInARow++;
    this.#count(now, 1);
    if (this.#isOpen) {
      this.#openUntil = now + OPEN_MS;
      return;
    }
    const calls = this.#buckets.reduce((sum, each) => sum + each.calls, 0);
    const failures = this.#buckets.reduce((sum, each) => sum + each.failures, 0);
    const isBad = calls >= MIN_CALLS && failures * 2 >= calls;
    if (!isBad && this.#failuresInARow < FAILURES_IN_A_ROW) return;
    this.#isOpen = true;
    this.#openings++;
    this.#openUntil = now + OPEN_MS;
  }

  #count(now: number, failures: number): void {
    const last = this.#buckets.at(-1);
    if (last !== undefined && now - last.at < BUCKET_MS) {
      last.calls++;
      last.failures += failures;
      return;
    }
    this.#buckets.push({ at: now, calls: 1, failures });
    if (now - (this.#buckets[0]?.at ?? now) > WINDOW_MS) {
      this.#buckets = this.#buckets.filter((each) => now - each.at <= WINDOW_MS);
    }
  }
}
