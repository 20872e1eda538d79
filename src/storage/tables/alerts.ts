import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import type { Alert, AlertKind, AlertRule, DestinationKind } from "#core/alert.ts";
import { defined } from "#lib/values.ts";

export interface AlertRulesTable {
  id: Generated<number>;
  name: string;
  kind: AlertKind;
  is_enabled: number;
  /** JSON. */
  terms: string;
  /** JSON array of names; `null` for all. */
  destinations: string | null;
  remind_minutes: number | null;
  silenced_until: number | null;
}

export interface AlertDestinationsTable {
  id: Generated<number>;
  name: string;
  kind: DestinationKind;
  is_enabled: number;
  /** Encrypted. */
  address: string;
  created_at: number;
  updated_at: number;
}

export interface AlertsTable {
  id: string;
  rule_id: number;
  rule_name: string;
  kind: AlertKind;
  subject: string;
  level: number;
  text: string;
  /** Unique among open alerts; `null` for one that ended. */
  open_key: string | null;
  began_at: number;
  seen_at: number;
  ended_at: number | null;
  told_level: number | null;
  told_at: number | null;
  messages: number;
  acknowledged_at: number | null;
  acknowledged_by: string | null;
  silenced_until: number | null;
}

/** One row: the gateway that evaluates the rules. */
export interface AlertLeaseTable {
  id: number;
  holder: string;
  lease_until: number;
}

export interface GatewayFactsTable {
  instance: string;
  at: number;
  /** JSON. */
  facts: string;
}

const TERMS = z.object({
  minutes: z.number().optional(),
  percent: z.number().optional(),
  calls: z.number().optional(),
  levels: z.array(z.number()).optional(),
  days: z.number().optional(),
  seconds: z.number().optional(),
  failures: z.number().optional(),
});
const NAMES = z.array(z.string());

export function toRule(row: Selectable<AlertRulesTable>): AlertRule {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    isEnabled: row.is_enabled === 1,
    terms: defined(TERMS.parse(JSON.parse(row.terms))),
    ...defined({
      destinations:
        row.destinations === null ? undefined : NAMES.parse(JSON.parse(row.destinations)),
      remindMinutes: row.remind_minutes ?? undefined,
      silencedUntil: row.silenced_until ?? undefined,
    }),
  };
}

export function toAlert(row: Selectable<AlertsTable>): Alert {
  return {
    id: row.id,
    ruleId: row.rule_id,
    ruleName: row.rule_name,
    kind: row.kind,
    subject: row.subject,
    level: row.level,
    text: row.text,
    beganAt: row.began_at,
    seenAt: row.seen_at,
    messages: row.messages,
    ...defined({
      endedAt: row.ended_at ?? undefined,
      toldLevel: row.told_level ?? undefined,
      toldAt: row.told_at ?? undefined,
      acknowledgedAt: row.acknowledged_at ?? undefined,
      acknowledgedBy: row.acknowledged_by ?? undefined,
      silencedUntil: row.silenced_until ?? undefined,
    }),
  };
}
