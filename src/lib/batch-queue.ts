import { setImmediate as nextTurn } from "node:timers/promises";
import { withinTime } from "./within-time.ts";

interface BatchOptions<T> {
  /** Takes up to `batchSize` items, in their order. Calls do not overlap. */
  take(items: readonly T[]): void | Promise<void>;
  /** The items of that batch are lost. */
  onError(cause: unknown): void;
  /** Items were dropped because the queue was full. */
  onDropped(count: number): void;
  readonly delayMs: number;
  readonly batchSize: number;
  readonly maxQueued: number;
}

/** Time for the last batches: a blocked destination must not prevent the end of the process. */
const LAST_MS = 2_000;

/** Collects items and handles them a little later, so that no caller waits. */
export class BatchQueue<T> implements AsyncDisposable {
  readonly #options: BatchOptions<T>;
  #queue: T[] = [];
  #dropped = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #flushing: Promise<void> | undefined;

  constructor(options: BatchOptions<T>) {
    this.#options = options;
  }

  add(item: T): void {
    const { maxQueued, delayMs } = this.#options;
    if (this.#queue.length >= maxQueued) {
      this.#dropped++;
      return;
    }
    this.#queue.push(item);
    if (this.#flushing === undefined) this.#timer ??= setTimeout(() => this.#flush(), delayMs);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#flush();
    if (this.#flushing !== undefined) await withinTime(this.#flushing, LAST_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing ??= this.#takeAll().finally(() => (this.#flushing = undefined));
  }

  async #takeAll(): Promise<void> {
    const { batchSize, take, onError, onDropped } = this.#options;
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, batchSize);
      this.#queue = this.#queue.slice(batchSize);
      try {
        await take(batch);
      } catch (cause) {
        onError(cause);
      }
      // Other work has its turn between two batches.
      await nextTurn();
    }
    if (this.#dropped === 0) return;
    const dropped = this.#dropped;
    this.#dropped = 0;
    onDropped(dropped);
  }
}
