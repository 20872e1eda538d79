/** In which ways one of its models differs from others. */
export interface JimengDialect {
  /**
   * What the model is called in requests, by the number of pictures that it is
   * given. One that is not here cannot be asked for so.
   */
  readonly keys?: Readonly<Partial<Record<0 | 1 | 2, string>>>;
  /** Of all its videos; it cannot be asked for. */
  readonly resolution?: string;
  /** Lengths that it makes, in frames; the first is what it makes unasked. */
  readonly frames?: readonly number[];
  readonly maxPrompt?: number;
  readonly needsPrompt?: boolean;
  /** The camera moves after a template. */
  readonly camera?: boolean;
}
