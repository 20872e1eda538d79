/** Ids of a conversation's calls, each given only once: one that comes again gets a number. */
export class DistinctIds {
  /** Every id that was given, with the number that was last put after it. */
  readonly #given = new Map<string, number>();

  next(id: string): string {
    const last = this.#given.get(id);
    if (last === undefined) {
      this.#given.set(id, 1);
      return id;
    }
    let count = last + 1;
    while (this.#given.has(`${id}_${count}`)) count++;
    this.#given.set(id, count);
    this.#given.set(`${id}_${count}`, 1);
    return `${id}_${count}`;
  }
}
