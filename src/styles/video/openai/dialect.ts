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
  /** Gets the client's unknown members, because servers of this format have members of their own. */
  readonly isOpen?: true;
}
