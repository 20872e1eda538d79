import { z } from "zod";
import { ALERT_KINDS, type Alert } from "#core/alert.ts";
import { GatewayError } from "#core/error.ts";
import { NO_RECIPIENT, type WebhookDelivery } from "#core/webhook-delivery.ts";
import type { AlertDeps } from "#http/deps/alerts.ts";
import { requireUser } from "#http/require-user.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { choiceField, pageSize, shortTextField } from "../query-fields.ts";
import { seconds } from "../seconds.ts";
import { SILENCE, silencedUntil } from "./silence.ts";

const STATES = ["open", "ended", "all"] as const;

export const ALERT = z
  .object({
    id: z.string(),
    state: z.enum(["open", "ended"]),
    rule: z.object({ id: z.int(), name: z.string() }),
    kind: z.enum(ALERT_KINDS),
    subject: z.string().describe("What it is about: a channel, an account, a job."),
    level: z.int().describe("Higher is worse."),
    text: z.string(),
    began_at: z.int(),
    seen_at: z.int(),
    ended_at: z.int().nullable(),
    told_at: z.int().nullable().describe("Null if no message was sent."),
    messages: z.int(),
    acknowledged_at: z.int().nullable(),
    acknowledged_by: z.string().nullable(),
    silenced_until: z.int().nullable(),
  })
  .meta({ id: "Alert" });

const common = { tag: "Alerts" } as const;

export const listAlerts = management({
  operationId: "listAlerts",
  ...common,
  method: "GET",
  path: "/api/alert",
  access: "auditor",
  scope: "alerts:read",
  summary: "Alerts, latest first: open ones by default. `before`: the last id of the page before.",
  query: z.object({
    state: choiceField(STATES, "Alerts in this state; `open` by default."),
    kind: choiceField(ALERT_KINDS, "Alerts of this kind."),
    before: shortTextField(64, "The id of the last alert of the previous page."),
    page_size: pageSize(50, 200),
  }),
  data: items(ALERT),

  async handle({ id }, { alerts }: Pick<AlertDeps, "alerts">, { query }) {
    const { state = "open", kind, before, page_size: limit } = query;
    const found = await alerts.list({
      limit,
      ...defined({ state: state === "all" ? undefined : state, kind, before }),
    });
    return succeed(id, "", { items: found.map(showAlert) });
  },
});

export const acknowledgeAlert = management({
  operationId: "acknowledgeAlert",
  ...common,
  method: "POST",
  path: "/api/alert/open/:id/acknowledge",
  access: "admin",
  scope: "alerts:write",
  summary: "Acknowledges an open alert: it is not told again until it ends or gets worse.",

  async handle(exchange, { alerts, clock }: Pick<AlertDeps, "alerts" | "clock">) {
    const by = requireUser(exchange).name;
    if (!(await alerts.acknowledge(exchange.param("id"), by, clock.now()))) throw noSuchAlert();
    return succeed(exchange.id, "The alert was acknowledged.");
  },
});

export const silenceAlert = management({
  operationId: "silenceAlert",
  ...common,
  method: "POST",
  path: "/api/alert/open/:id/silence",
  access: "admin",
  scope: "alerts:write",
  summary: "Sends nothing about an open alert for a time.",
  body: SILENCE,

  async handle(exchange, { alerts, clock }: Pick<AlertDeps, "alerts" | "clock">, { body }) {
    const until = silencedUntil(body, clock);
    if (!(await alerts.silence(exchange.param("id"), until))) throw noSuchAlert();
    return succeed(exchange.id, until === null ? "The silence ended." : "The alert is silent.");
  },
});

const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

const DELIVERY = z
  .object({
    id: z.string(),
    alert_id: z.string(),
    destination_id: z.int().nullable(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int(),
    created_at: z.int(),
    next_attempt_at: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: "AlertDelivery" });

export const listAlertDeliveries = management({
  operationId: "listAlertDeliveries",
  ...common,
  method: "GET",
  path: "/api/alert/delivery",
  access: "auditor",
  scope: "alerts:read",
  summary: "Messages to destinations, latest first. They are kept for 30 days.",
  query: z.object({
    state: choiceField(DELIVERY_STATES, "Messages in this state."),
    before: shortTextField(128, "The id of the last message of the previous page."),
    page_size: pageSize(50, 100),
  }),
  data: items(DELIVERY),

  async handle({ id }, { notices }: Pick<AlertDeps, "notices">, { query }) {
    const { state, before, page_size: limit } = query;
    const found = await notices.list({
      userId: NO_RECIPIENT,
      limit,
      ...defined({ state, before }),
    });
    return succeed(id, "", { items: found.map(showDelivery) });
  },
});

export const replayAlertDelivery = management({
  operationId: "replayAlertDelivery",
  ...common,
  method: "POST",
  path: "/api/alert/delivery/:id/replay",
  access: "admin",
  scope: "alerts:write",
  summary: "Sends a message again, in any state.",

  async handle(exchange, { notices, clock }: Pick<AlertDeps, "notices" | "clock">) {
    if (await notices.redeliver(NO_RECIPIENT, exchange.param("id"), clock.now())) {
      return succeed(exchange.id, "The message is sent again.");
    }
    throw new GatewayError("not_found", "Message not found.");
  },
});

export function showAlert(alert: Alert): JsonObject {
  return {
    id: alert.id,
    state: alert.endedAt === undefined ? "open" : "ended",
    rule: { id: alert.ruleId, name: alert.ruleName },
    kind: alert.kind,
    subject: alert.subject,
    level: alert.level,
    text: alert.text,
    began_at: seconds(alert.beganAt),
    seen_at: seconds(alert.seenAt),
    ended_at: secondsOrNull(alert.endedAt),
    told_at: secondsOrNull(alert.toldAt),
    messages: alert.messages,
    acknowledged_at: secondsOrNull(alert.acknowledgedAt),
    acknowledged_by: alert.acknowledgedBy ?? null,
    silenced_until: secondsOrNull(alert.silencedUntil),
  };
}

function showDelivery(delivery: WebhookDelivery): JsonObject {
  const { state, dueAt } = delivery;
  return {
    id: delivery.id,
    alert_id: delivery.taskId,
    destination_id: delivery.destinationId ?? null,
    state,
    attempts: delivery.attempts,
    created_at: seconds(delivery.createdAt),
    next_attempt_at: state === "pending" ? seconds(dueAt) : null,
    last_error: delivery.lastError ?? null,
  };
}

function secondsOrNull(ms: number | undefined): number | null {
  return ms === undefined ? null : seconds(ms);
}

function noSuchAlert(): GatewayError {
  return new GatewayError("not_found", "There is no such open alert.");
}
