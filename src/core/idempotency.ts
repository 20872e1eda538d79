/**
 * One request that its caller may send again: whoever gave it a key gets one
 * answer for it, and pays once.
 */
export interface IdempotencyRecord {
  /** A digest of user, method, path and key: it is nobody else's. */
  readonly id: string;
  readonly userId: number;
  /** A digest of what is asked: the same key is not for another question. */
  readonly question: string;
  /** The call that is to answer. */
  readonly callId: string;
  /** Unix ms. */
  readonly at: number;
  /** Unix ms; at most until then the call may run. */
  readonly endsBy: number;
}

export type IdempotencyResult =
  /** Nobody else will be given it before it is released: go ahead. */
  | { readonly kind: "claimed" }
  | { readonly kind: "running" }
  | { readonly kind: "other_question" }
  /** Answered and paid for, by an earlier call; its answer may be too long to be kept, or lost. */
  | {
      readonly kind: "done";
      readonly callId: string;
      readonly answer: KeptReply | undefined;
    };

/** What a caller was sent. */
export interface KeptReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Answers by the keys that callers gave their requests. */
export interface IdempotencyStore {
  /**
   * Takes a key for a call, if no other call has it; of many at once, on any
   * gateway, one gets it. What a gateway that died had claimed may be claimed
   * anew, unless the journal says that its call was completed, or it is a task
   * that goes on.
   */
  claim(reservation: IdempotencyRecord): Promise<IdempotencyResult>;
  /** Ends a claim with its answer, or without where there is too much of it. */
  keep(
    reservation: Pick<IdempotencyRecord, "id" | "callId">,
    answer: KeptReply | undefined,
    expiresAt: number,
  ): Promise<void>;
  /** Ends a claim as if it had never been. */
  release(reservation: Pick<IdempotencyRecord, "id" | "callId">): Promise<void>;
  /** Deletes at most `limit` that expired before `before` (Unix ms); says how many. */
  prune(before: number, limit: number): Promise<number>;
  /**
   * Where a user has more than so many bytes here, forgets what the oldest
   * answers were, though not that they were given: a bounded number of them at
   * once. Says how many.
   */
  trim(maxBytesPerUser: number): Promise<number>;
}
