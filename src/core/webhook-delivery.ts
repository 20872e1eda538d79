/**
 * Something that a caller wanted to be told, on its way to an address of
 * theirs. It is on disk before it is sent, and sent until somebody takes it or
 * nobody will.
 */
export interface WebhookDelivery {
  /** The same for every try: whoever gets it twice can tell. */
  readonly id: string;
  readonly userId: number;
  /** What it is about. */
  readonly taskId: string;
  readonly url: string;
  /** JSON. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly dueAt: number;
  /** What became of the last try, in our words. */
  readonly lastError?: string;
}

/** `dead`: nobody took it, and it is not sent any more unless its user asks for it. */
export type DeliveryState = "pending" | "delivered" | "dead";

interface DeliveryQuery {
  readonly userId: number;
  readonly state?: DeliveryState;
  /** The last notice of the page before. */
  readonly before?: string;
  readonly limit: number;
}

export interface WebhookOutbox {
  /** One that is there already stays as it is. */
  add(delivery: WebhookDelivery): Promise<void>;
  /** Pending ones that are due and in nobody's hands, for so long. */
  lease(leaseMs: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /** What became of a try. */
  tried(
    id: string,
    outcome: Pick<WebhookDelivery, "state" | "attempts" | "dueAt" | "lastError">,
  ): Promise<void>;
  list(query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;
  /** Sends it again; false where the user has no such notice. */
  redeliver(userId: number, id: string, now: number): Promise<boolean>;
  /** Deletes those that are not pending from before; how many were. */
  prune(before: number, limit: number): Promise<number>;
}

/** What signs the notices of a user, so that they can tell them from anybody else's. */
export interface WebhookSecrets {
  /** `whsec_...`; two for a while after a change, the newer one first. */
  of(userId: number): Promise<readonly string[]>;
  /** Makes a new one; the one before goes on signing for a week. */
  rotate(userId: number): Promise<string>;
}
