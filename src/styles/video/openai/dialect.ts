/** Deviations of a server from the format; members that are not listed accept any value. */
export interface VideoDialect {
  readonly lengths?: readonly number[];
  readonly usualLength?: number;
  readonly sizes?: readonly string[];
  readonly usualSize?: string;
  /** Supports remix of its own videos. */
  readonly remakes?: true;
  /** Stores files, whose ids may replace images. */
  readonly keepsFiles?: true;
  /** Ignores unknown members. */
  readonly isOpen?: true;
}
