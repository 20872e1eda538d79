/** How many calls are between their hold and their settlement. */
export class OpenCalls {
  #count = 0;
  #none: PromiseWithResolvers<void> | undefined;

  get count(): number {
    return this.#count;
  }

  enter(): void {
    this.#count++;
  }

  leave(): void {
    this.#count--;
    if (this.#count > 0) return;
    this.#none?.resolve();
    this.#none = undefined;
  }

  /** Resolves when every call is settled: nothing of theirs may be closed before. */
  async whenNone(): Promise<void> {
    if (this.#count === 0) return;
    this.#none ??= Promise.withResolvers();
    await this.#none.promise;
  }
}
