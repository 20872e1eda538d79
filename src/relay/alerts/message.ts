import { z } from "zod";
import { ALERT_EVENTS, ALERT_KINDS, type AlertEvent, type AlertKind } from "#core/alert.ts";
import { parseJson } from "#lib/json.ts";

/** A message about an alert, as the outbox has it. */
export interface AlertMessage {
  readonly event: AlertEvent;
  /** Unix ms. */
  readonly at: number;
  readonly alert: {
    readonly id: string;
    readonly ruleName: string;
    readonly kind: AlertKind;
    readonly subject: string;
    readonly level: number;
    readonly text: string;
    readonly beganAt: number;
    readonly endedAt?: number | undefined;
  };
}

const MESSAGE = z.object({
  event: z.enum([...ALERT_EVENTS, "test"]),
  at: z.number(),
  alert: z.object({
    id: z.string(),
    ruleName: z.string(),
    kind: z.enum(ALERT_KINDS),
    subject: z.string(),
    level: z.number(),
    text: z.string(),
    beganAt: z.number(),
    endedAt: z.number().optional(),
  }),
});

/** Undefined if another version wrote it in a form that this one does not know. */
export function readMessage(body: string): AlertMessage | undefined {
  return MESSAGE.safeParse(parseJson(body)).data;
}

export function testMessage(id: string, now: number): AlertMessage {
  const text = "This is a test of the destination. Nothing is wrong.";
  return {
    event: "test",
    at: now,
    alert: {
      id,
      ruleName: "test",
      kind: "secret",
      subject: "test",
      level: 0,
      text,
      beganAt: now,
    },
  };
}

const TITLES: Readonly<Record<AlertEvent, string>> = {
  began: "Alert",
  worsened: "Alert, now worse",
  reminder: "Alert, still open",
  ended: "Alert ended",
  test: "Test",
};

export function titleOf({ event, alert }: AlertMessage): string {
  return `${TITLES[event]}: ${alert.ruleName}`;
}

/** The whole message as plain text. */
export function plainText(message: AlertMessage): string {
  const { beganAt, endedAt, text } = message.alert;
  const times = [
    `Began: ${show(beganAt)}`,
    ...(endedAt === undefined ? [] : [`Ended: ${show(endedAt)}`]),
  ];
  return [titleOf(message), text, ...(message.event === "test" ? [] : times)].join("\n");
}

function show(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
