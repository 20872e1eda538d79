import type { UsageQuery } from "#core/usage-report.ts";
import { FILLED_UNTIL } from "#test/storage/fill-journal.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const to = FILLED_UNTIL;
const DAY = { from: to - DAY_MS, to };
const WEEK = { from: to - 7 * DAY_MS, to };
const MONTH = { from: Date.UTC(2026, 9, 1), to };

/** Reports that the console and the command line ask for, over a filled journal. */
export const USAGE_QUERIES: readonly UsageQuery[] = [
  { ...DAY, by: [] },
  { ...DAY, by: ["hour", "model"] },
  { ...DAY, by: ["key"] },
  { ...WEEK, by: ["day", "channel"] },
  { ...WEEK, by: ["user", "model"] },
  { ...MONTH, by: [] },
  { ...MONTH, by: ["user"], limit: 1 },
  { ...MONTH, by: ["team", "model"] },
  { ...MONTH, by: ["day", "endpoint"] },
  { ...MONTH, by: ["day"], userId: 7 },
  { ...MONTH, by: ["model"], keyId: 7 },
  { ...MONTH, by: ["user"], teamId: 1 },
  { ...MONTH, by: [], session: "session-20" },
  { ...MONTH, by: ["model"], tag: "project=p7" },
  { ...DAY, by: ["tag"], limit: 50 },
];
