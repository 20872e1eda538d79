/** Differences between the vendor's models. */
export interface JimengDialect {
  /** The model's `req_key`, by the number of input images. A missing number is not supported. */
  readonly keys?: Readonly<Partial<Record<0 | 1 | 2, string>>>;
  /** The model's only resolution; it cannot be requested. */
  readonly resolution?: string;
  /** Supported lengths in frames; the first is the default. */
  readonly frames?: readonly number[];
  readonly maxPrompt?: number;
  readonly needsPrompt?: boolean;
  /** Moves the camera by a template. */
  readonly camera?: boolean;
}
