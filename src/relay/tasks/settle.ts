import type { CallRecord } from "#core/call.ts";
import type { Ledger } from "#core/ledger.ts";
import {
  costOf,
  isUnknownPrice,
  pricesOnlyOtherUnits,
  nanoUsd,
  rateUsage,
  withoutFreeImages,
  type NanoUsd,
} from "#core/money.ts";
import { findProvider } from "#providers/index.ts";
import type { Task } from "#core/task.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";

export interface SettleDeps {
  readonly ledger: Ledger;
  /** Called for every settled task: metrics. */
  onClosed(record: CallRecord): void;
}

/** The cost of an ended task: zero without a result. */
function costOfTask(usage: Usage, { status, price }: Task): NanoUsd {
  return status === "succeeded" && price !== undefined ? costOf(usage, price) : nanoUsd(0);
}

/** The charged cost of a settled task; undefined before. */
export function chargedCost(task: Task): NanoUsd | undefined {
  return task.isSettled ? costOfTask(chargedUsage(task), task) : undefined;
}

/** Settles the hold of an ended task; repeated calls have no effect. */
export async function settleTask(task: Task, { ledger, onClosed }: SettleDeps): Promise<void> {
  const record = recordOf(task);
  const isFirst =
    task.status === "succeeded"
      ? await ledger.settle(task.id, record.cost, record)
      : await ledger.void(task.id, record);
  if (isFirst) onClosed(record);
}

function recordOf(task: Task): CallRecord {
  const { place, price, facts, createdAt, finishedAt = createdAt } = task;
  const isMade = task.status === "succeeded";
  const usage = isMade ? chargedUsage(task) : NO_USAGE;
  const cost = costOfTask(usage, task);
  return {
    id: task.id,
    at: createdAt,
    userId: task.userId,
    keyId: task.keyId,
    model: task.model,
    upstreamModel: place?.upstreamModel ?? null,
    channel: place?.channel ?? null,
    provider: place?.provider ?? null,
    style: task.entry,
    endpoint: "videos",
    isStream: false,
    outcome: isMade ? "completed" : "failed",
    fault: isMade ? null : "upstream_failed",
    usage,
    cost,
    ...(isMade && isUnpriced(task) ? { isUnpriced: true } : {}),
    ...(price === undefined || cost === 0 ? {} : rateUsage(usage, price)),
    firstByteMs: null,
    durationMs: Math.max(0, finishedAt - createdAt),
    attempts: [],
    lost: task.lost,
    isTask: true,
    ...(facts.traceparent === undefined ? {} : { traceparent: facts.traceparent }),
  };
}

function chargedUsage({ usage, price }: Task): Usage {
  return price === undefined ? usage : withoutFreeImages(usage, price);
}

/** The same rule as for routes. */
function isUnpriced({ place, price, usage }: Task): boolean {
  if (price !== undefined && !isUnknownPrice(price)) return pricesOnlyOtherUnits(usage, price);
  return place === undefined || findProvider(place.provider)?.isLocal !== true;
}
