import type { UsageQuery } from "#core/usage-report.ts";
import { FILLED_UNTIL } from "./fill-journal.ts";

const DAY_MS = 86_400_000;

/** From the middle of a day to the end of the journal, as the console asks. */
const MONTH = { from: FILLED_UNTIL - 30 * DAY_MS + DAY_MS / 2, to: FILLED_UNTIL + DAY_MS / 24 };
const WEEK = { from: FILLED_UNTIL - 7 * DAY_MS, to: FILLED_UNTIL - DAY_MS / 3 };
const TOP = { limit: 20 };

/** Reports of a filled journal, for their plans and times: each dimension, filter and pair. */
export const USAGE_REPORTS: readonly UsageQuery[] = [
  { ...MONTH, by: [] },
  { ...WEEK, by: [] },
  { ...MONTH, by: ["hour"] },
  { ...MONTH, by: ["day"] },
  { ...MONTH, by: ["month"] },
  { ...MONTH, by: ["user"] },
  { ...MONTH, by: ["team"] },
  { ...MONTH, by: ["group"] },
  { ...MONTH, by: ["key"] },
  { ...MONTH, by: ["model"] },
  { ...MONTH, by: ["channel"] },
  { ...MONTH, by: ["endpoint"] },
  { ...MONTH, by: ["tag"] },
  { ...MONTH, by: ["session"], ...TOP },
  { ...WEEK, by: ["tag"] },
  { ...WEEK, by: ["session"], ...TOP },
  { ...MONTH, by: ["hour", "model"], ...TOP },
  { ...MONTH, by: ["day", "model"] },
  { ...MONTH, by: ["day", "tag"], ...TOP },
  { ...MONTH, by: ["user", "model"] },
  { ...MONTH, by: ["key", "channel"], ...TOP },
  { ...MONTH, by: ["tag", "user"], ...TOP },
  { ...MONTH, by: ["session", "user"], ...TOP },
  { ...MONTH, by: ["session", "model"], ...TOP },
  { ...MONTH, by: ["day"], userId: 7 },
  { ...MONTH, by: ["hour"], userId: 7 },
  { ...MONTH, by: ["hour"], model: "model-3" },
  { ...MONTH, by: ["hour"], teamId: 1 },
  { ...MONTH, by: ["hour"], keyId: 7 },
  { ...MONTH, by: ["user"], teamId: 1 },
  { ...MONTH, by: ["model"], keyId: 7 },
  { ...MONTH, by: ["day"], channel: "channel-3" },
  { ...MONTH, by: ["model"], groupId: 1 },
  { ...MONTH, by: ["tag"], userId: 7 },
  { ...MONTH, by: ["session"], keyId: 6, ...TOP },
  { ...MONTH, by: ["tag"], teamId: 1 },
  { ...MONTH, by: ["model"], session: "session-6-1" },
  { ...MONTH, by: ["user"], tag: "project=p7" },
  { ...MONTH, by: ["day"], tag: "project=p7" },
  { ...MONTH, by: ["hour"], tag: "project=p7" },
];
