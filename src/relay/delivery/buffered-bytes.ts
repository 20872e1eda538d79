/** A response whose client reads slowly. */
export interface SlowReader {
  /** Ends the response with an error. */
  shed(): void;
}

/**
 * Counts the bytes of all streams that wait for slow clients. Above the limit, the response whose
 * client has been behind for longest is ended.
 */
export class BufferedBytes {
  readonly #limits: { readonly bufferedBytes: number };
  /** In the order in which clients fell behind. */
  readonly #waiting = new Map<SlowReader, number>();
  total = 0;

  constructor(limits: { readonly bufferedBytes: number }) {
    this.#limits = limits;
  }

  /** Adds bytes that wait for a client, until `release`. */
  hold(reader: SlowReader, bytes: number): void {
    this.total += bytes - (this.#waiting.get(reader) ?? 0);
    this.#waiting.set(reader, bytes);
    for (const slowest of this.#waiting.keys()) {
      if (this.total <= this.#limits.bufferedBytes) return;
      this.release(slowest);
      slowest.shed();
    }
  }

  release(reader: SlowReader): void {
    this.total -= this.#waiting.get(reader) ?? 0;
    this.#waiting.delete(reader);
  }
}
