import type { AlertDestinationStore, AlertRuleStore, AlertStore } from "#core/alert.ts";
import type { LinkFollower } from "#core/media.ts";
import type { WebhookOutbox } from "#core/webhook-delivery.ts";
import type { Clock } from "#lib/clock.ts";
import type { AlertSender } from "#relay/alerts/send.ts";

/** Dependencies of the endpoints of alerts, their rules and destinations. */
export interface AlertDeps {
  readonly alerts: AlertStore;
  readonly alertRules: AlertRuleStore;
  readonly alertDestinations: AlertDestinationStore;
  readonly alertSender: Pick<AlertSender, "send">;
  readonly notices: WebhookOutbox;
  /** Checks addresses. */
  readonly links: Pick<LinkFollower, "check">;
  readonly clock: Clock;
}
