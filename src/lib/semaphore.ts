/** Allows at most `places` concurrent holders and at most `waiting` waiters; more are refused. */
export class Semaphore {
  readonly #maxWaiting: number;
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(places: number, maxWaiting: number) {
    this.#free = places;
    this.#maxWaiting = maxWaiting;
  }

  /** Resolves with a handle that releases the place; undefined if the queue is full. */
  async enter(): Promise<Disposable | undefined> {
    if (this.#free > 0) this.#free--;
    else if (this.#line.length >= this.#maxWaiting) return undefined;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    return { [Symbol.dispose]: () => this.#leave() };
  }

  #leave(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
