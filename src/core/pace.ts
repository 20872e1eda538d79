import type { Mutable } from "#lib/values.ts";
import type { Allowance, Bound, Refusal, RateLimitStatus, Verdict } from "./limits.ts";

/**
 * The generic cell rate algorithm, virtual scheduling form (ITU-T I.371). Each
 * limit stores one moment: when everything taken so far will be earned back.
 * Here it is stored as the time until that moment. The burst is one minute's
 * worth: after an idle minute all of it is available at once, and then it
 * refills evenly. A smaller burst would refuse single calls that are well
 * within their minute.
 */
export const BURST_MS = 60_000;

/** Upper bound of the debt, even if a single call used far more than it reserved. */
export const MAX_AHEAD_MS = 3_600_000;

/** Sums of fractions are not exact; a hundredth of a millisecond must not refuse a call. */
export const GRAIN_MS = 0.01;

/** Retry interval for concurrency, because the end of a running call is unknown. */
const SLOT_WAIT_MS = 1_000;

/** The state of a bound. */
export interface Level {
  /** Ms until everything taken is earned back; 0 if nothing is outstanding. */
  readonly requestsMs: number;
  readonly tokensMs: number;
  /** Calls that hold a concurrency slot. */
  readonly running: number;
}

/** A decision, and the state of each bound after it. */
export interface Ruling {
  readonly refusal?: Refusal;
  readonly levels: readonly Level[];
}

/**
 * Decides if a call may take its reservation from all bounds; `levels` has the
 * order of `bounds`.
 */
export function rule(bounds: readonly Bound[], levels: readonly Level[]): Ruling {
  const after: Level[] = [];
  let refusal: Refusal | undefined;
  let index = 0;
  for (const bound of bounds) {
    const before = levels[index++] ?? IDLE;
    const { requestsPerMinute, tokensPerMinute } = bound.limits;
    const then = {
      requestsMs: ahead(before.requestsMs, 1, requestsPerMinute),
      tokensMs: ahead(before.tokensMs, bound.tokens, tokensPerMinute),
      running: before.running + 1,
    };
    after.push(then);
    const own = refuse(bound, then);
    if (own !== undefined && waitOf(own) > waitOf(refusal)) refusal = own;
  }
  return refusal === undefined ? { levels: after } : { refusal, levels };
}

/**
 * The reason why a bound cannot reach this state; of several reasons the one
 * with the longest wait.
 */
function refuse(bound: Bound, { requestsMs, tokensMs, running }: Level): Refusal | undefined {
  const { tokensPerMinute = Infinity, concurrency = Infinity } = bound.limits;
  if (bound.tokens > tokensPerMinute) return { by: "tokens", bound };
  const aheadMs = Math.max(requestsMs, tokensMs);
  const isFull = running > concurrency;
  if (aheadMs > BURST_MS + GRAIN_MS) {
    const by = tokensMs > requestsMs ? "tokens" : "requests";
    const waitMs = aheadMs - BURST_MS;
    return { by, bound, retryAfterMs: isFull ? Math.max(waitMs, SLOT_WAIT_MS) : waitMs };
  }
  return isFull ? { by: "concurrency", bound, retryAfterMs: SLOT_WAIT_MS } : undefined;
}

/** The new debt after taking an amount, or returning it if negative. */
export function ahead(beforeMs: number, amount: number, perMinute: number | undefined): number {
  if (perMinute === undefined) return 0;
  const afterMs = Math.max(0, beforeMs) + (amount * BURST_MS) / perMinute;
  return Math.min(Math.max(0, afterMs), MAX_AHEAD_MS);
}

export function verdictOf(bounds: readonly Bound[], { refusal, levels }: Ruling): Verdict {
  const statuses: RateLimitStatus[] = [];
  let index = 0;
  for (const bound of bounds) statuses.push(statusOf(bound, levels[index++] ?? IDLE));
  return refusal === undefined ? { statuses } : { refusal, statuses };
}

function statusOf({ limits }: Bound, { requestsMs, tokensMs }: Level): RateLimitStatus {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const status: Mutable<RateLimitStatus> = {};
  if (requestsPerMinute !== undefined) status.requests = allowance(requestsPerMinute, requestsMs);
  if (tokensPerMinute !== undefined) status.tokens = allowance(tokensPerMinute, tokensMs);
  return status;
}

function allowance(limit: number, aheadMs: number): Allowance {
  const remaining = Math.floor(((BURST_MS - aheadMs + GRAIN_MS) * limit) / BURST_MS);
  return { limit, remaining: Math.min(Math.max(0, remaining), limit), resetMs: aheadMs };
}

function waitOf(refusal: Refusal | undefined): number {
  return refusal === undefined ? 0 : (refusal.retryAfterMs ?? Infinity);
}

const IDLE: Level = { requestsMs: 0, tokensMs: 0, running: 0 };
