import { expect, test } from "bun:test";
import type { Alert, AlertChange, AlertDestination, AlertFinding, AlertRule } from "#core/alert.ts";
import type { Evaluation } from "./evaluate.ts";
import { reconcileAlerts } from "./reconcile.ts";

const START = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const RULE: AlertRule = {
  id: 1,
  name: "budget",
  kind: "budget",
  isEnabled: true,
  terms: {},
  remindMinutes: 60,
};
const OPS = destination(7, "ops");

/** The rules of one gateway over time; alerts are applied as a database would. */
class Course {
  now = START;
  rule = RULE;
  destinations: readonly AlertDestination[] = [OPS];
  quietMs = 0;
  isOver = false;
  open: Alert[] = [];
  ended: Alert[] = [];
  #ids = 0;

  text = "used";
  seenAt: number | undefined;

  /** The events of one evaluation; "untold" for a change without a message. */
  see(...levels: readonly number[]): readonly string[] {
    return this.changes(...levels).map(({ event = "untold" }) => event);
  }

  changes(...levels: readonly number[]): readonly AlertChange[] {
    const findings = levels.map((level): AlertFinding => ({
      ruleId: this.rule.id,
      subject: "team:3",
      level,
      text: this.text,
      ...(this.seenAt === undefined ? {} : { seenAt: this.seenAt }),
    }));
    const evaluation: Evaluation = {
      rule: this.rule,
      findings,
      quietMs: this.quietMs,
      isOver: () => this.isOver,
    };
    const changes = reconcileAlerts({
      evaluations: this.rule.isEnabled ? [evaluation] : [],
      open: this.open,
      destinations: this.destinations,
      now: this.now,
      newId: () => `alert_${++this.#ids}`,
    });
    for (const { alert } of changes) {
      this.open = this.open.filter(({ id }) => id !== alert.id);
      if (alert.endedAt === undefined) this.open.push(alert);
      else this.ended.push(alert);
    }
    return changes;
  }

  change(change: Partial<Alert>): void {
    this.open = this.open.map((each) => ({ ...each, ...change }));
  }
}

function destination(id: number, name: string, isEnabled = true): AlertDestination {
  return { id, name, kind: "slack", isEnabled, address: {}, createdAt: 0, updatedAt: 0 };
}

test("an alert is told once when it begins and once when it ends", () => {
  const course = new Course();

  expect(course.see(80)).toEqual(["began"]);
  course.now += MINUTE_MS;
  expect(course.see(80)).toEqual(["untold"]);
  course.now += 1_000;
  expect(course.see(80)).toEqual([]);
  expect(course.see()).toEqual(["ended"]);
  expect(course.see()).toEqual([]);
  expect(course.ended).toMatchObject([{ beganAt: START, messages: 2, endedAt: course.now }]);
});

test("an open alert is written again if its text changed, or a minute after it was written", () => {
  const course = new Course();
  course.see(80);

  course.text = "used more";
  expect(course.see(80)).toEqual(["untold"]);
  course.now += MINUTE_MS - 1;
  expect(course.see(80)).toEqual([]);
  course.now += 1;
  expect(course.see(80)).toEqual(["untold"]);
  expect(course.open).toMatchObject([{ text: "used more", seenAt: course.now, messages: 1 }]);
});

test("an alert has the time at which its condition was last seen", () => {
  const course = new Course();
  course.seenAt = START - 5_000;

  course.see(80);

  expect(course.open).toMatchObject([{ beganAt: START, seenAt: START - 5_000 }]);
});

test("the end of an alert is not told without a destination, and is told when its silence ended", () => {
  const course = new Course();
  course.see(80);
  course.destinations = [];
  expect(course.see()).toEqual(["untold"]);
  course.destinations = [OPS];
  course.see(80);
  course.change({ silencedUntil: course.now });

  expect(course.see()).toEqual(["ended"]);
  expect(course.ended.map(({ messages }) => messages)).toEqual([1, 2]);
});

test("a worse level is told, and a better one is not", () => {
  const course = new Course();
  course.see(50);

  expect(course.see(80)).toEqual(["worsened"]);
  expect(course.see(50)).toEqual(["untold"]);
  expect(course.see(80)).toEqual(["untold"]);
  expect(course.see(100)).toEqual(["worsened"]);
});

test("an open alert is told again at its interval, until an admin acknowledges it", () => {
  const course = new Course();
  course.see(80);

  course.now += 59 * MINUTE_MS;
  expect(course.see(80)).toEqual(["untold"]);
  course.now += MINUTE_MS;
  expect(course.see(80)).toEqual(["reminder"]);
  course.now += 60 * MINUTE_MS;
  expect(course.see(80)).toEqual(["reminder"]);
  course.change({ acknowledgedAt: course.now, acknowledgedBy: "ann" });
  course.now += 600 * MINUTE_MS;
  expect(course.see(80)).toEqual(["untold"]);
  expect(course.see(100)).toEqual(["worsened"]);
  expect(course.see()).toEqual(["ended"]);
});

test("a rule without reminders tells an open alert once", () => {
  const course = new Course();
  const { remindMinutes: _, ...rule } = RULE;
  course.rule = rule;
  course.see(80);

  course.now += 10_000 * MINUTE_MS;
  expect(course.see(80)).toEqual(["untold"]);
});

test("a silent alert is told when the silence ends, if it is still open", () => {
  const course = new Course();
  course.rule = { ...RULE, silencedUntil: START + 10 * MINUTE_MS };

  expect(course.see(80)).toEqual(["untold"]);
  course.now += 5 * MINUTE_MS;
  expect(course.see(80)).toEqual(["untold"]);
  course.now += 5 * MINUTE_MS;
  expect(course.see(80)).toEqual(["began"]);
  course.change({ silencedUntil: course.now + MINUTE_MS });
  expect(course.see(100)).toEqual(["untold"]);
  expect(course.see()).toEqual(["untold"]);
});

test("an alert that was never told has no message about its end", () => {
  const course = new Course();
  course.rule = { ...RULE, silencedUntil: START + MINUTE_MS };
  course.see(80);

  course.now += 2 * MINUTE_MS;
  expect(course.see()).toEqual(["untold"]);
});

test("without a destination nothing is told, and the first destination learns of open alerts", () => {
  const course = new Course();
  course.destinations = [destination(7, "ops", false)];
  expect(course.see(80)).toEqual(["untold"]);

  course.destinations = [OPS];
  expect(course.see(80)).toEqual(["began"]);
});

test("a rule tells the destinations that it names, or all enabled ones", () => {
  const course = new Course();
  course.destinations = [OPS, destination(8, "night"), destination(9, "off", false)];

  expect(course.changes(50).map(({ destinations }) => destinations)).toEqual([[7, 8]]);
  course.rule = { ...RULE, destinations: ["night", "off"] };
  expect(course.changes(80).map(({ destinations }) => destinations)).toEqual([[8]]);
  course.rule = { ...RULE, destinations: [] };
  expect(course.see(100)).toEqual(["untold"]);
});

test("an alert without news stays open for the quiet time of its kind, unless it is over", () => {
  const course = new Course();
  course.quietMs = 10 * MINUTE_MS;
  course.see(80);

  course.now += 9 * MINUTE_MS;
  expect(course.see()).toEqual([]);
  course.now += MINUTE_MS;
  expect(course.see()).toEqual(["ended"]);

  course.see(80);
  course.isOver = true;
  expect(course.see()).toEqual(["ended"]);
});

test("the alerts of a disabled rule end without a message", () => {
  const course = new Course();
  course.see(80);
  course.rule = { ...RULE, isEnabled: false };

  expect(course.see(80)).toEqual(["untold"]);
  expect(course.open).toEqual([]);
});
