/** Counts values by upper bounds. A value costs a few comparisons and no allocation. */
export class Histogram {
  /** Ascending and inclusive. */
  readonly bounds: readonly number[];
  /** By bound, not cumulative; the last one counts values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++;
    counts[index] = (counts[index] ?? 0) + 1;
    this.sum += value;
  }

  /** Adds the values of another one with the same bounds. */
  add({ counts, sum }: Pick<Histogram, "counts" | "sum">): void {
    for (let i = 0; i < counts.length; i++)
      this.counts[i] = (this.counts[i] ?? 0) + (counts[i] ?? 0);
    this.sum += sum;
  }

  get count(): number {
    return this.counts.reduce((total, each) => total + each, 0);
  }
}
