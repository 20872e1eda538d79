import type { Clock } from "./clock.ts";
import { Histogram } from "./histogram.ts";

const INTERVAL_MS = 100;
const BOUNDS_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];

/** Measures how late a timer runs, which is how long any other work waits for the event loop. */
export class EventLoopDelay implements Disposable {
  readonly delaysMs = new Histogram(BOUNDS_MS);
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(clock: Clock) {
    let dueAt = clock.monotonic() + INTERVAL_MS;
    this.#timer = setInterval(() => {
      const now = clock.monotonic();
      this.delaysMs.observe(Math.max(0, now - dueAt));
      dueAt = now + INTERVAL_MS;
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
