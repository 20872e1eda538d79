import { expect, test } from "bun:test";
import type { AlertEvent } from "#core/alert.ts";
import { plainText, readMessage, testMessage, titleOf, type AlertMessage } from "./message.ts";

const BEGAN = Date.UTC(2026, 0, 1, 12, 0, 0, 500);
const ALERT: AlertMessage["alert"] = {
  id: "alert_1",
  ruleName: "spending",
  kind: "budget",
  subject: "team:3",
  level: 80,
  text: "It is used to 80 %.",
  beganAt: BEGAN,
};

test.each<[AlertEvent, string]>([
  ["began", "Alert: spending"],
  ["worsened", "Alert, now worse: spending"],
  ["reminder", "Alert, still open: spending"],
  ["ended", "Alert ended: spending"],
  ["test", "Test: spending"],
])("the title of a message that an alert %s is '%s'", (event, title) => {
  expect(titleOf({ event, at: BEGAN, alert: ALERT })).toBe(title);
});

test("a message has the times of the alert, and a test has none", () => {
  expect(plainText({ event: "began", at: BEGAN, alert: ALERT })).toBe(
    "Alert: spending\nIt is used to 80 %.\nBegan: 2026-01-01T12:00:00Z",
  );
  expect(
    plainText({ event: "ended", at: BEGAN, alert: { ...ALERT, endedAt: BEGAN + 60_000 } }),
  ).toEndWith("\nBegan: 2026-01-01T12:00:00Z\nEnded: 2026-01-01T12:01:00Z");
  expect(plainText(testMessage("msg_1", BEGAN))).toBe(
    "Test: test\nThis is a test of the destination. Nothing is wrong.",
  );
});

test("a test is a message as any other", () => {
  const message = testMessage("msg_1", BEGAN);

  expect(readMessage(JSON.stringify(message))).toEqual(message);
  expect(message).toMatchObject({ event: "test", at: BEGAN, alert: { id: "msg_1", level: 0 } });
});
