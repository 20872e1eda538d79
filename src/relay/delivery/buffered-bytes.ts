/** An answer whose reader is behind. */
export interface SlowReader {
  /** Ends the answer, with a failure. */
  shed(): void;
}

/**
 * Bytes of answers that wait for slow readers, of all streams together. Beyond
 * the limit, the answer whose reader has been behind for longest is ended.
 */
export class BufferedBytes {
  readonly #limits: { readonly bufferedBytes: number };
  /** In the order in which their readers fell behind. */
  readonly #waiting = new Map<SlowReader, number>();
  total = 0;

  constructor(limits: { readonly bufferedBytes: number }) {
    this.#limits = limits;
  }

  /** So many bytes wait for a reader, until `release`. */
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
