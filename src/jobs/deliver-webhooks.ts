import type { WebhookOutbox } from "#core/webhook-delivery.ts";
import { deliverWebhooks, type DeliverDeps } from "#relay/tasks/deliver-webhooks.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const BATCH = 500;

/** Sends webhooks to clients until none is due. */
export function deliverDueWebhooks(deps: DeliverDeps): Job {
  return {
    name: "send-notices",
    everyMs: 1_000,
    run: (signal) => deliverWebhooks(deps, signal),
  };
}

export function pruneWebhooks(webhooks: Pick<WebhookOutbox, "prune">, clock: Clock): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await webhooks.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-notices", clock, () => KEPT_MS, prune);
}
