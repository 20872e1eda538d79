import { z } from "zod";
import { descriptionOf } from "#config/documents/fields.ts";
import { RULE_FIELDS, spanProblem, TERM_FIELDS } from "#config/documents/alert.ts";
import {
  ALERT_KINDS,
  DEFAULT_TERMS,
  termsProblem,
  type AlertRule,
  type AlertRuleChange,
} from "#core/alert.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { AlertDeps } from "#http/deps/alerts.ts";
import type { Exchange } from "#http/routes.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { succeed } from "../envelope.ts";
import { optional, shownOnly } from "../fields.ts";
import { items, management } from "../management.ts";
import { NAME } from "../name-fields.ts";
import { readId } from "../read-id.ts";
import { seconds } from "../seconds.ts";
import { SILENCE, silencedUntil } from "./silence.ts";

const YEAR_MINUTES = 525_600;
const MAX_NAMES = 100;

const STATUS = z.union([z.literal(1), z.literal(2)]).describe("1 enabled, 2 disabled.");

function term(of: keyof typeof TERM_FIELDS, most: number) {
  return z.int().min(1).max(most).describe(descriptionOf(TERM_FIELDS[of])).optional();
}

const TERMS = z.strictObject({
  minutes: term("minutes", YEAR_MINUTES),
  percent: term("percent", 100),
  calls: term("calls", 1_000_000),
  levels: z
    .array(z.int().min(1).max(1_000))
    .min(1)
    .max(10)
    .describe(descriptionOf(TERM_FIELDS.levels))
    .optional(),
  days: term("days", 365),
  seconds: term("seconds", 600),
  failures: term("failures", 10_000),
});

const FIELDS = {
  status: optional(STATUS),
  terms: optional(TERMS).describe(descriptionOf(RULE_FIELDS.terms)),
  destinations: z
    .array(NAME)
    .max(MAX_NAMES)
    .nullish()
    .describe(descriptionOf(RULE_FIELDS.destinations)),
  remind_minutes: z
    .int()
    .min(1)
    .max(YEAR_MINUTES)
    .nullish()
    .describe(descriptionOf(RULE_FIELDS.remind_minutes)),
};

const NEW_RULE = z.strictObject({ name: NAME, kind: z.enum(ALERT_KINDS), ...FIELDS });
const CHANGED_RULE = z.strictObject({
  name: optional(NAME),
  ...FIELDS,
  ...shownOnly(["id", "kind", "effective_terms", "silenced_until"]),
});

const RULE = z
  .object({
    id: z.int(),
    name: z.string(),
    kind: z.enum(ALERT_KINDS),
    status: STATUS,
    terms: TERMS,
    effective_terms: TERMS.describe("With the defaults of the kind."),
    destinations: z.array(z.string()).nullable().describe("Null for all enabled ones."),
    remind_minutes: z.int().nullable(),
    silenced_until: z.int().nullable(),
  })
  .meta({ id: "AlertRule" });

const common = { tag: "Alerts", path: "/api/alert/rule" } as const;
const one = { tag: "Alerts", path: "/api/alert/rule/:id" } as const;

type Rules = Pick<AlertDeps, "alertRules">;

export const listAlertRules = management({
  operationId: "listAlertRules",
  ...common,
  method: "GET",
  access: "auditor",
  scope: "alerts:read",
  summary: "All rules of alerts.",
  data: items(RULE),

  async handle({ id }, { alertRules }: Rules) {
    return succeed(id, "", { items: (await alertRules.list()).map(showRule) });
  },
});

export const createAlertRule = management({
  operationId: "createAlertRule",
  ...common,
  method: "POST",
  access: "admin",
  scope: "alerts:write",
  summary: "Creates a rule of alerts.",
  body: NEW_RULE,
  data: RULE,

  async handle({ id }, { alertRules }: Rules, { body }) {
    const { name, kind, status, terms = {}, destinations, remind_minutes: remindMinutes } = body;
    checkTerms(kind, terms);
    const rule = await alertRules.create({
      name,
      kind,
      isEnabled: status !== 2,
      terms: defined(terms),
      ...defined({
        destinations: destinations ?? undefined,
        remindMinutes: remindMinutes ?? undefined,
      }),
    });
    return succeed(id, "The rule was created.", showRule(rule));
  },
});

export const updateAlertRule = management({
  operationId: "updateAlertRule",
  ...one,
  method: "PUT",
  access: "admin",
  scope: "alerts:write",
  summary: "Changes a rule. Absent fields stay unchanged; null restores the default.",
  body: CHANGED_RULE,
  data: RULE,

  async handle(exchange, { alertRules }: Rules, { body }) {
    const rule = (await alertRules.list()).find(({ id }) => id === idInPath(exchange));
    if (rule === undefined) throw noSuchRule();
    checkTerms(rule.kind, body.terms ?? {});
    const change: AlertRuleChange = defined({
      name: body.name,
      isEnabled: body.status === undefined ? undefined : body.status === 1,
      terms: body.terms && defined(body.terms),
      destinations: body.destinations,
      remindMinutes: body.remind_minutes,
    });
    const changed = await alertRules.change(rule.id, change);
    if (changed === undefined) throw noSuchRule();
    return succeed(exchange.id, "The rule was changed.", showRule(changed));
  },
});

export const deleteAlertRule = management({
  operationId: "deleteAlertRule",
  ...one,
  method: "DELETE",
  access: "admin",
  scope: "alerts:write",
  summary: "Deletes a rule. Its open alerts end without a message.",

  async handle(exchange, { alertRules }: Rules) {
    if (!(await alertRules.delete(idInPath(exchange)))) throw noSuchRule();
    return succeed(exchange.id, "The rule was deleted.");
  },
});

export const silenceAlertRule = management({
  operationId: "silenceAlertRule",
  tag: "Alerts",
  path: "/api/alert/rule/:id/silence",
  method: "POST",
  access: "admin",
  scope: "alerts:write",
  summary: "Sends nothing about the alerts of a rule for a time.",
  body: SILENCE,

  async handle(exchange, { alertRules, clock }: Pick<AlertDeps, "alertRules" | "clock">, { body }) {
    const until = silencedUntil(body, clock);
    if (!(await alertRules.silence(idInPath(exchange), until))) throw noSuchRule();
    return succeed(exchange.id, until === null ? "The silence ended." : "The rule is silent.");
  },
});

function checkTerms(kind: AlertRule["kind"], terms: z.output<typeof TERMS>): void {
  const problem = termsProblem(kind, defined(terms)) ?? spanProblem(kind, terms);
  if (problem !== undefined) throw invalid("terms", `The rule ${problem}`);
}

function showRule(rule: AlertRule): JsonObject {
  const { terms, silencedUntil: until } = rule;
  return {
    id: rule.id,
    name: rule.name,
    kind: rule.kind,
    status: rule.isEnabled ? 1 : 2,
    terms: { ...terms },
    effective_terms: { ...DEFAULT_TERMS[rule.kind], ...terms },
    destinations: rule.destinations ?? null,
    remind_minutes: rule.remindMinutes ?? null,
    silenced_until: until === undefined ? null : seconds(until),
  };
}

function idInPath(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchRule();
  return id;
}

function noSuchRule(): GatewayError {
  return new GatewayError("not_found", "The alert rule does not exist.");
}
