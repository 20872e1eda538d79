/** In which ways a server's reading of the format is its own; what it does not list, anything may be. */
export interface VideoDialect {
  readonly lengths?: readonly number[];
  readonly usualLength?: number;
  readonly sizes?: readonly string[];
  readonly usualSize?: string;
  /** It makes a video of its own anew. */
  readonly remakes?: true;
  /** It keeps files, which may be named in place of pictures. */
  readonly keepsFiles?: true;
  /** Members that it does not know do no harm. */
  readonly isOpen?: true;
}
