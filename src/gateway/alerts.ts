import type { RateLimiter } from "#core/limits.ts";
import { labelsOf } from "#lib/prometheus-text.ts";
import { GatewayWatch } from "#relay/alerts/gateway-watch.ts";
import { AlertSender } from "#relay/alerts/send.ts";
import { AlertWatch } from "#relay/alerts/watch.ts";
import { SharedLimiter } from "#storage/counters/shared.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Links } from "./links.ts";
import type { MailModule } from "./mail.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";
import { openSecretProblems } from "./secret-problems.ts";

export interface Alerting {
  readonly alertWatch: AlertWatch;
  readonly alertSender: AlertSender;
  readonly gatewayWatch: GatewayWatch;
}

type Needs = Pick<Infrastructure, "clock" | "instance" | "settings" | "publicUrl"> &
  Pick<Routing, "channels" | "health" | "channelRegistry"> &
  Pick<Links, "links"> &
  MailModule &
  Pick<Relay, "observers" | "metrics"> &
  Stores<
    | "alertRules"
    | "alertDestinations"
    | "alerts"
    | "gatewayFacts"
    | "funds"
    | "channelMinutes"
    | "ping"
  > & { readonly limiter: RateLimiter };

/** Opens the watch of this gateway, the evaluation of alert rules and the sender of messages. */
export function openAlerts(needs: Needs, opened: AsyncDisposableStack): Alerting {
  const { clock, instance, storage, health, channelRegistry, limiter, links, mailer } = needs;
  const gatewayWatch = new GatewayWatch({
    instance,
    clock,
    health,
    registry: channelRegistry,
    isRedisUp() {
      if (!(limiter instanceof SharedLimiter)) return undefined;
      limiter.probe();
      return limiter.isShared;
    },
    secrets: openSecretProblems(needs),
  });
  needs.observers.add(gatewayWatch);
  const destinations = storage.alertDestinations;
  const alertSender = new AlertSender({ destinations, links, mailer, clock });
  const alertWatch = new AlertWatch({
    sources: {
      minutes: storage.channelMinutes,
      channels: () => channelRegistry.channels,
      table: needs.channels,
    },
    rules: storage.alertRules,
    destinations,
    alerts: storage.alerts,
    gatewayFacts: storage.gatewayFacts,
    funds: storage.funds,
    sender: alertSender,
    watch: gatewayWatch,
    clock,
    instance,
    everyMs: () => needs.settings.limits.alertMs,
    ping: () => storage.ping(),
  });
  opened.defer(async () => {
    // Without a database, facts and lease expire.
    await storage.gatewayFacts.delete(instance).catch(() => {});
    await storage.alerts.release().catch(() => {});
  });
  needs.metrics.add((text) => {
    text.metric(
      "gauge",
      "sluice_channel_condition",
      "State of a channel by all gateways, as a label; the value is 1.",
    );
    for (const { name, condition } of alertWatch.state.channels) {
      text.sample(1, labelsOf({ channel: name, condition: condition.state }));
    }
    text
      .metric("gauge", "sluice_open_alerts", "Open alerts, on the gateway that evaluates them.")
      .sample(alertWatch.openAlerts);
  });
  return { alertWatch, alertSender, gatewayWatch };
}
