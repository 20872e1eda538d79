import type { WebhookOutbox, WebhookSecrets } from "#core/webhook-delivery.ts";
import type { Clock } from "#lib/clock.ts";

/** Dependencies of the endpoints of webhooks to clients. */
export interface WebhookDeps {
  readonly notices: WebhookOutbox;
  readonly noticeSecrets: WebhookSecrets;
  readonly clock: Clock;
}
