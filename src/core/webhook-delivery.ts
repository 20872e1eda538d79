/**
 * A webhook to a client's URL, or a message to a destination of alerts. It is
 * stored before it is sent, and retried until the receiver accepts it or the
 * retries are exhausted.
 */
export interface WebhookDelivery {
  /** The same for every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  /** `NO_RECIPIENT` for messages to destinations. */
  readonly userId: number;
  /** The task or the alert that it reports. */
  readonly taskId: string;
  /** Empty if a destination has the address. */
  readonly url: string;
  readonly destinationId?: number;
  /** JSON. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly dueAt: number;
  /** The error of the last attempt, in our own terms. */
  readonly lastError?: string;
}

/** The owner of messages that belong to no user. */
export const NO_RECIPIENT = 0;

/** `dead`: the retries are exhausted; it is sent again only if the user asks for it. */
export type DeliveryState = "pending" | "delivered" | "dead";

interface DeliveryQuery {
  readonly userId: number;
  readonly state?: DeliveryState;
  /** Id of the last delivery of the previous page. */
  readonly before?: string;
  readonly limit: number;
}

export interface WebhookOutbox {
  /** An existing delivery stays unchanged. */
  add(delivery: WebhookDelivery): Promise<void>;
  /** Leases pending deliveries that are due and not leased, for `leaseMs`. */
  lease(leaseMs: number, limit: number): Promise<readonly WebhookDelivery[]>;
  /** Stores the result of an attempt. */
  tried(
    id: string,
    outcome: Pick<WebhookDelivery, "state" | "attempts" | "dueAt" | "lastError">,
  ): Promise<void>;
  list(query: DeliveryQuery): Promise<readonly WebhookDelivery[]>;
  /** Sends it again; false if the user has no such delivery. */
  redeliver(userId: number, id: string, now: number): Promise<boolean>;
  /** Deletes finished deliveries older than `before`; returns their number. */
  prune(before: number, limit: number): Promise<number>;
}

/** The signing secrets of a user's webhooks, which prove the sender to receivers. */
export interface WebhookSecrets {
  /** `whsec_...`; for a while after a rotation two secrets, the newer one first. */
  of(userId: number): Promise<readonly string[]>;
  /** Creates a new secret; the previous one stays valid for a week. */
  rotate(userId: number): Promise<string>;
}
