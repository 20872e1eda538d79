import type { CallRecord } from "#core/call.ts";
import type { Ledger, OpenHold } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Clock } from "#lib/clock.ts";
import type { Job } from "./scheduler.ts";

/**
 * Closes the holds of gateways that died: what had been delivered by the last
 * checkpoint is owed, the rest is released. Two gateways may find the same
 * hold; only the first closes it.
 */
export function recoverHolds(ledger: Ledger, clock: Clock): Job {
  return {
    name: "recover-holds",
    everyMs: 15_000,
    async run(signal) {
      for (const hold of await ledger.listAbandoned()) {
        if (signal.aborted) return;
        const record = recordOf(hold, clock.now());
        if (hold.checkpoint === null) await ledger.void(hold.callId, record);
        else await ledger.settle(hold.callId, hold.checkpoint, record);
      }
    },
  };
}

function recordOf(hold: OpenHold, now: number): CallRecord {
  return {
    id: hold.callId,
    at: hold.openedAt,
    userId: hold.context.userId,
    keyId: hold.context.keyId,
    model: hold.context.model,
    upstreamModel: null,
    channel: null,
    provider: null,
    style: hold.context.style,
    isStream: hold.checkpoint !== null,
    outcome: "interrupted",
    fault: "internal",
    usage: NO_USAGE,
    cost: hold.checkpoint ?? nanoUsd(0),
    firstByteMs: null,
    durationMs: Math.max(0, now - hold.openedAt),
    attempts: [],
    lost: [],
  };
}
