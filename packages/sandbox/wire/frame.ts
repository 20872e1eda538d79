/** One event of a stream, with what the faults and the log need to know about it. */
export interface Frame {
  readonly kind: "delta" | "finish" | "usage" | "error" | "done";
  /** The name of the event, for the vendors who name theirs. */
  readonly event?: string;
  readonly data: string;
  /** How many tokens of the answer it carries. */
  readonly tokens: number;
}
