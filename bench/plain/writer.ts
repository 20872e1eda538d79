import type { Row } from "./writer-thread.ts";

/**
 * Hands rows to the thread that owns the database. It writes at once when the
 * thread is idle, and what arrives meanwhile is the next batch.
 */
export class Writer {
  readonly #thread: Worker;
  #rows: Row[] = [];
  #waiting: (() => void)[] = [];
  #written: (() => void)[] | undefined;

  constructor(path: string) {
    const url = new URL("./writer-thread.ts", import.meta.url).href;
    this.#thread = new Worker(url, { smol: true });
    this.#thread.postMessage(path);
    this.#thread.onmessage = () => {
      const written = this.#written ?? [];
      this.#written = undefined;
      for (const onDurable of written) onDurable();
      this.#send();
    };
  }

  write(row: Row, onDurable: () => void): void {
    this.#rows.push(row);
    this.#waiting.push(onDurable);
    // At the end of this turn, so that the calls of one turn share a commit.
    if (this.#rows.length === 1 && this.#written === undefined) setImmediate(() => this.#send());
  }

  #send(): void {
    if (this.#written !== undefined || this.#rows.length === 0) return;
    const text = JSON.stringify(this.#rows);
    this.#written = this.#waiting;
    this.#rows = [];
    this.#waiting = [];
    this.#thread.postMessage(text);
  }
}
