import type { CallRecord } from "#core/call.ts";
import type { Ledger, OpenHold } from "#core/ledger.ts";
import { nanoUsd } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import type { Job } from "./scheduler.ts";

/** Concurrent operations share commits, and the start waits for all of them. */
const AT_ONCE = 100;
const EVERY_MS = 15_000;

/**
 * Closes the holds of dead gateways: output delivered by the last checkpoint is
 * charged, the rest is released. If two gateways find the same hold, only the
 * first closes it.
 */
export function recoverHolds(
  ledger: Pick<Ledger, "listAbandoned" | "settle" | "void">,
  clock: Clock,
  everyMs = EVERY_MS,
): Job {
  return {
    name: "recover-holds",
    everyMs,
    async run(signal) {
      await mapAtMost(await ledger.listAbandoned(), AT_ONCE, async (hold) => {
        if (signal.aborted) return;
        const record = recordOf(hold, clock.now());
        if (hold.checkpoint === null) await ledger.void(hold.callId, record);
        else await ledger.settle(hold.callId, hold.checkpoint, record);
      });
    },
  };
}

/** The record as if the call had ended at its last checkpoint. */
function recordOf(hold: OpenHold, now: number): CallRecord {
  const durationMs = Math.max(0, now - hold.openedAt);
  if (hold.context.record !== undefined) return { ...hold.context.record, durationMs };
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
    ...defined({
      endpoint: hold.context.endpoint,
      teamId: hold.context.teamId,
      groupId: hold.context.groupId,
    }),
    isStream: hold.context.isStream ?? hold.checkpoint !== null,
    outcome: "interrupted",
    fault: "internal",
    usage: NO_USAGE,
    cost: hold.checkpoint ?? nanoUsd(0),
    firstByteMs: null,
    durationMs,
    attempts: [],
    lost: [],
    ...(hold.context.tags === undefined ? {} : { tags: hold.context.tags }),
  };
}
