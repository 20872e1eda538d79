import { GatewayError } from "#core/error.ts";
import type { WebhookDelivery, WebhookSecrets, WebhookOutbox } from "#core/webhook-delivery.ts";
import type { LinkFollower } from "#core/media.ts";
import type { Clock } from "#lib/clock.ts";
import { Semaphore } from "#lib/semaphore.ts";
import { signatureOf } from "#lib/standard-webhooks.ts";
import { defined } from "#lib/values.ts";
import { processDue, type Work } from "#lib/process-due.ts";

export interface DeliverDeps {
  readonly notices: WebhookOutbox;
  readonly secrets: WebhookSecrets;
  readonly clock: Clock;
  /** Posts to a URL of a client. */
  readonly links: Pick<LinkFollower, "post">;
  /** Sends messages to destinations of alerts. */
  readonly destinations?: {
    deliver(delivery: WebhookDelivery): Promise<DeliveryFailure | undefined>;
  };
  /** Gets each attempt when it ended. */
  readonly onAttempt?: ((attempt: DeliveryAttempt) => void) | undefined;
}

/** One attempt to deliver a webhook or a message. */
export interface DeliveryAttempt {
  readonly delivery: WebhookDelivery;
  /** Unix ms. */
  readonly at: number;
  readonly durationMs: number;
  /** Absent if the receiver took it. */
  readonly failure?: DeliveryFailure;
  /** The state after the attempt. */
  readonly state: WebhookDelivery["state"];
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/**
 * Retry delays by https://www.standardwebhooks.com, with a jitter of a tenth; then the delivery is
 * abandoned.
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
const JITTER = 0.1;
/** Longer than the wait for a free slot and an attempt together. */
const LEASE_MS = MINUTE_MS;
const BATCH = 64;
/** Limit of running and waiting deliveries in total. */
const MAX_CONCURRENT = 256;
const AT_ONCE_TO_ONE = 4;
const WAITING_FOR_ONE = 12;
/** Retry delay if a receiver's queue is full. */
const CROWDED_MS = 5 * SECOND_MS;
const GONE = 410;

/** Sends due webhooks until none remains. A slow receiver delays no other. */
export async function deliverWebhooks(deps: DeliverDeps, signal: AbortSignal): Promise<void> {
  const lanes = new Map<string, Lane>();
  const troubles: unknown[] = [];
  const work: Work<WebhookDelivery> = {
    lease: async (room) => (troubles.length > 0 ? [] : await deps.notices.lease(LEASE_MS, room)),
    async act(delivery) {
      await sendInTurn(delivery, lanes, deps, signal).catch((cause: unknown) =>
        troubles.push(cause),
      );
    },
    batch: BATCH,
    most: MAX_CONCURRENT,
  };
  await processDue(work, signal);
  if (troubles.length > 0) throw troubles[0];
}

/** Running and waiting deliveries of one receiver. */
class Lane extends Semaphore {
  size = 0;

  constructor() {
    super(AT_ONCE_TO_ONE, WAITING_FOR_ONE);
  }
}

async function sendInTurn(
  delivery: WebhookDelivery,
  lanes: Map<string, Lane>,
  deps: DeliverDeps,
  signal: AbortSignal,
): Promise<void> {
  const { url, destinationId } = delivery;
  const host = URL.parse(url)?.host ?? `destination ${destinationId}`;
  const lane = lanes.get(host) ?? new Lane();
  lanes.set(host, lane);
  lane.size++;
  try {
    using place = await lane.enter();
    if (place !== undefined && !signal.aborted) return await send(delivery, deps);
    const { id, attempts, lastError } = delivery;
    const dueAt = deps.clock.now() + (place === undefined ? CROWDED_MS : 0);
    await deps.notices.tried(id, { state: "pending", attempts, dueAt, ...defined({ lastError }) });
  } finally {
    if (--lane.size === 0) lanes.delete(host);
  }
}

async function send(delivery: WebhookDelivery, deps: DeliverDeps): Promise<void> {
  const now = deps.clock.now();
  const startedAt = deps.clock.monotonic();
  const failure = await (delivery.destinationId === undefined
    ? post(delivery, deps)
    : deps.destinations?.deliver(delivery));
  const outcome = outcomeOf(delivery, failure, now);
  const durationMs = deps.clock.monotonic() - startedAt;
  deps.onAttempt?.({
    delivery,
    at: now,
    durationMs,
    state: outcome.state,
    ...defined({ failure }),
  });
  await deps.notices.tried(delivery.id, outcome);
}

/** `now`: Unix ms at the start of the attempt. */
function outcomeOf(
  delivery: WebhookDelivery,
  failure: DeliveryFailure | undefined,
  now: number,
): Pick<WebhookDelivery, "state" | "attempts" | "dueAt" | "lastError"> {
  const attempts = delivery.attempts + 1;
  if (failure === undefined) return { state: "delivered", attempts, dueAt: now };
  const pause = PAUSES_MS[attempts - 1];
  const { lastError, isFinal } = failure;
  if (pause === undefined || isFinal) return { state: "dead", attempts, dueAt: now, lastError };
  const dueAt = now + Math.round(pause * (1 - JITTER + 2 * JITTER * Math.random()));
  return { state: "pending", attempts, dueAt, lastError };
}

export interface DeliveryFailure {
  /** In our own terms. */
  readonly lastError: string;
  /** The receiver refused it permanently: no retry. */
  readonly isFinal: boolean;
  /** HTTP status; absent if nothing answered, and for e-mail. */
  readonly status?: number;
}

async function post(
  delivery: WebhookDelivery,
  deps: DeliverDeps,
): Promise<DeliveryFailure | undefined> {
  const secrets = await deps.secrets.of(delivery.userId);
  const timestamp = Math.floor(deps.clock.now() / SECOND_MS);
  const message = { id: delivery.id, timestamp, body: delivery.body };
  try {
    const status = await deps.links.post(delivery.url, delivery.body, {
      "content-type": "application/json",
      "webhook-id": delivery.id,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": secrets.map((secret) => signatureOf(secret, message)).join(" "),
    });
    if (status >= 200 && status < 300) return undefined;
    const lastError = `It answered with status ${status}.`;
    return { lastError, isFinal: status === GONE, status };
  } catch (cause) {
    return { lastError: GatewayError.from(cause).message, isFinal: false };
  }
}
