import type { CallFilter } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { FILLED_UNTIL } from "./fill-journal.ts";

/** Each filter alone, with values that occur, and those that the pairs are made of. */
const SINGLE_FILTERS: readonly CallFilter[] = [
  {},
  { from: FILLED_UNTIL - 3_600_000 },
  { to: FILLED_UNTIL - 3_600_000 },
  { outcome: "failed" },
  { outcome: "completed" },
  { status: 429 },
  { status: 200 },
  { fault: "upstream_failed" },
  { channel: "channel-3" },
  { channel: "rare" },
  { channel: "none" },
  { failedChannel: "channel-3" },
  { failedChannel: "rare" },
  { model: "model-3" },
  { model: "model-rare" },
  { upstreamModel: "upstream-3" },
  { style: "messages" },
  { style: "rerank" },
  { endpoint: "rerank" },
  { userId: 7 },
  { keyId: 7 },
  { teamId: 1 },
  { groupId: 1 },
  { session: "session-6-1" },
  { tag: "project=p7" },
  { minCost: nanoUsd(9_000_000_000) },
  { minCost: nanoUsd(500_000) },
  { minDurationMs: 900_000 },
  { minDurationMs: 1_000 },
];

const HOUR = { from: FILLED_UNTIL - 3_600_000 };
const PAIRS: readonly CallFilter[] = [
  { failedChannel: "channel-3", ...HOUR },
  { channel: "channel-3", outcome: "failed", ...HOUR },
  { channel: "rare", model: "model-rare" },
  { channel: "rare", outcome: "failed" },
  { userId: 7, outcome: "failed" },
  { userId: 7, model: "model-rare" },
  { teamId: 1, outcome: "failed" },
  { keyId: 7, ...HOUR },
  { model: "model-3", outcome: "failed" },
  { model: "model-3", minCost: nanoUsd(9_000_000_000) },
  { tag: "project=p7", userId: 7 },
  { status: 429, ...HOUR },
];

/** Filters of a filled journal, for its plans and its times. */
export const LOG_FILTERS: readonly CallFilter[] = [...SINGLE_FILTERS, ...PAIRS];
