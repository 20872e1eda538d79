import type { Alert, AlertChange, AlertDestination, AlertRule } from "#core/alert.ts";
import { MINUTE_MS } from "#core/channel-minute.ts";
import type { Evaluation } from "./evaluate.ts";

interface State {
  readonly evaluations: readonly Evaluation[];
  readonly open: readonly Alert[];
  readonly destinations: readonly AlertDestination[];
  readonly now: number;
  newId(): string;
}

/** A state that only repeats is written this often. */
const WRITTEN_AGAIN_MS = MINUTE_MS;

/** The alerts that begin, change or end, and the messages about them. */
export function reconcileAlerts(state: State): readonly AlertChange[] {
  const { evaluations, open } = state;
  const changes: AlertChange[] = [];
  for (const evaluation of evaluations) {
    const { rule, findings } = evaluation;
    const before = new Map(
      open.filter(({ ruleId }) => ruleId === rule.id).map((each) => [each.subject, each]),
    );
    for (const finding of findings) {
      const known = before.get(finding.subject);
      const seenAt = finding.seenAt ?? state.now;
      const { level, text, subject } = finding;
      const alert: Alert = known
        ? { ...known, ruleName: rule.name, level, text, seenAt }
        : {
            id: state.newId(),
            ruleId: rule.id,
            ruleName: rule.name,
            kind: rule.kind,
            subject,
            level,
            text,
            beganAt: state.now,
            seenAt,
            messages: 0,
          };
      const change = told(alert, rule, state);
      if (known === undefined || change.event !== undefined || isNews(known, alert)) {
        changes.push(change);
      }
      before.delete(finding.subject);
    }
    for (const alert of before.values()) {
      if (!isStillOpen(alert, evaluation, state.now)) changes.push(end(alert, rule, state));
    }
  }
  return [...changes, ...withoutRule(state)];
}

function isNews(before: Alert, after: Alert): boolean {
  return (
    before.level !== after.level ||
    before.text !== after.text ||
    after.seenAt - before.seenAt >= WRITTEN_AGAIN_MS
  );
}

function isStillOpen({ subject, seenAt }: Alert, evaluation: Evaluation, now: number): boolean {
  return !evaluation.isOver(subject) && now - seenAt < evaluation.quietMs;
}

/** Alerts of rules that were disabled end. Those of a database that is down end otherwise. */
function withoutRule({ evaluations, open, now }: State): readonly AlertChange[] {
  const rules = new Set(evaluations.map(({ rule }) => rule.id));
  return open
    .filter(({ ruleId, kind }) => !rules.has(ruleId) && kind !== "database_down")
    .map((alert) => ({ alert: { ...alert, endedAt: now }, destinations: [] }));
}

function told(alert: Alert, rule: AlertRule, state: State): AlertChange {
  const destinations = destinationsOf(rule, state.destinations);
  const event = isSilent(alert, rule, state.now) ? undefined : eventFor(alert, rule, state.now);
  if (event === undefined || destinations.length === 0) return { alert, destinations: [] };
  const { level, messages } = alert;
  return {
    alert: { ...alert, toldLevel: level, toldAt: state.now, messages: messages + 1 },
    event,
    destinations,
  };
}

function eventFor(
  { toldLevel, toldAt, level, acknowledgedAt }: Alert,
  { remindMinutes }: AlertRule,
  now: number,
): AlertChange["event"] {
  if (toldLevel === undefined) return "began";
  if (level > toldLevel) return "worsened";
  if (remindMinutes === undefined || acknowledgedAt !== undefined) return undefined;
  return now - (toldAt ?? now) >= remindMinutes * MINUTE_MS ? "reminder" : undefined;
}

/** Its end is told to those who were told of its begin. */
export function end(
  alert: Alert,
  rule: AlertRule,
  state: Pick<State, "destinations" | "now">,
): AlertChange {
  const ended = { ...alert, endedAt: state.now };
  const destinations = destinationsOf(rule, state.destinations);
  const isTold =
    alert.toldLevel !== undefined && destinations.length > 0 && !isSilent(alert, rule, state.now);
  if (!isTold) return { alert: ended, destinations: [] };
  return { alert: { ...ended, messages: alert.messages + 1 }, event: "ended", destinations };
}

function isSilent(alert: Alert, rule: AlertRule, now: number): boolean {
  return (alert.silencedUntil ?? 0) > now || (rule.silencedUntil ?? 0) > now;
}

export function destinationsOf(
  { destinations: names }: Pick<AlertRule, "destinations">,
  all: readonly AlertDestination[],
): readonly number[] {
  return all
    .filter(({ isEnabled, name }) => isEnabled && (names === undefined || names.includes(name)))
    .map(({ id }) => id);
}
