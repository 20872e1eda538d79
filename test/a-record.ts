import type { CallRecord } from "#core/call.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";

/** The record of a call that the channel "one" answered at its first attempt, at no cost. */
export function aRecord(change: Partial<CallRecord> = {}): CallRecord {
  return {
    id: "call",
    at: 0,
    userId: 1,
    keyId: 1,
    model: "m",
    upstreamModel: "m",
    channel: "one",
    provider: "openai",
    style: "chat",
    isStream: false,
    outcome: "completed",
    fault: null,
    usage: NO_USAGE,
    cost: nanoUsd(0),
    firstByteMs: 100,
    durationMs: 100,
    attempts: [{ channel: "one", credential: "", fault: null, status: 200, durationMs: 100 }],
    lost: [],
    ...change,
  };
}
