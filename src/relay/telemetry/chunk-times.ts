import { Histogram } from "#lib/histogram.ts";
import { SECONDS } from "./histogram-state.ts";

/** Maximum number of calls that are timed at once. */
const MAX_TIMED = 100_000;

/** Times the chunks of running streams, from each chunk to the next. */
export class ChunkTimes {
  readonly #running = new Map<string, Histogram>();
  readonly #now: () => number;

  /** `now`: monotonic ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Call the result for each chunk. A later stream of the same call takes the place of this one. */
  start(callId: string): () => void {
    const gaps = new Histogram(SECONDS);
    this.#running.set(callId, gaps);
    const [oldest] = this.#running.size > MAX_TIMED ? this.#running.keys() : [];
    if (oldest !== undefined) this.#running.delete(oldest);
    const now = this.#now;
    let last: number | undefined;
    return () => {
      const at = now();
      if (last !== undefined) gaps.observe((at - last) / 1_000);
      last = at;
    };
  }

  /** The times of a call that ended; undefined if it was no stream. */
  take(callId: string): Histogram | undefined {
    const gaps = this.#running.get(callId);
    if (gaps !== undefined) this.#running.delete(callId);
    return gaps;
  }
}
