/** A request with an idempotency key: repeated requests get one result and are charged once. */
export interface IdempotencyRecord {
  /** A digest of user, method, path and key, so keys of different users cannot collide. */
  readonly id: string;
  readonly userId: number;
  /** A digest of the request: a key cannot be reused for another request. */
  readonly question: string;
  /** The call that produces the response. */
  readonly callId: string;
  /** Unix ms. */
  readonly at: number;
  /** Unix ms; the maximum end of the call. */
  readonly endsBy: number;
}

export type IdempotencyResult =
  /** The claim is exclusive until it is released: the call may proceed. */
  | { readonly kind: "claimed" }
  | { readonly kind: "running" }
  | { readonly kind: "other_question" }
  /** An earlier call was answered and charged; its response may be too long to store, or lost. */
  | {
      readonly kind: "done";
      readonly callId: string;
      readonly answer: StoredReply | undefined;
    };

/** The response that a client received. */
export interface StoredReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Stored responses by idempotency key. */
export interface IdempotencyStore {
  /**
   * Claims a key for a call if no other call has it; of concurrent claims on
   * all gateways one succeeds. The claim of a dead gateway can be claimed
   * again, unless the journal shows its call as completed or it is a running
   * task.
   */
  claim(reservation: IdempotencyRecord): Promise<IdempotencyResult>;
  /** Completes a claim with its response, or without one if the response is too long. */
  keep(
    reservation: Pick<IdempotencyRecord, "id" | "callId">,
    answer: StoredReply | undefined,
    expiresAt: number,
  ): Promise<void>;
  /** Deletes a claim, as if it had never existed. */
  release(reservation: Pick<IdempotencyRecord, "id" | "callId">): Promise<void>;
  /**
   * Deletes at most `limit` records that expired before `before` (Unix ms);
   * returns their number.
   */
  prune(before: number, limit: number): Promise<number>;
  /**
   * Deletes the oldest stored responses of users above `maxBytesPerUser`, but
   * keeps the records that they were sent. One call deletes a bounded number
   * and returns it.
   */
  trim(maxBytesPerUser: number): Promise<number>;
}
