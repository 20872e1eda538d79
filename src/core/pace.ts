import type { Allowance, Bound, Refusal, RateLimitStatus, Verdict } from "./limits.ts";

/**
 * The generic cell rate algorithm in its form of virtual scheduling (ITU-T
 * I.371): of each limit one moment is kept, the one at which everything taken
 * so far has been earned again, here as the time by which it lies ahead. The
 * burst is a whole minute's worth: whoever was silent for a minute may take
 * all of it at once, and from then on it comes back evenly. A smaller burst
 * would turn away single calls that are well within their minute.
 */
export const BURST_MS = 60_000;

/** Ahead by more than this nobody is, whatever a single call turned out to have used. */
export const MAX_AHEAD_MS = 3_600_000;

/** Sums of fractions are not exact; a hundredth of a millisecond is worth no call. */
export const GRAIN_MS = 0.01;

/** Nobody knows when a running call will end. */
const PLACE_WAIT_MS = 1_000;

/** Where a bound stands. */
export interface Level {
  /** Ms by which what was taken lies ahead; 0 where nothing is outstanding. */
  readonly requestsMs: number;
  readonly tokensMs: number;
  /** Calls that hold a place. */
  readonly running: number;
}

/** A decision, and how each bound stands after it. */
interface Ruling {
  readonly refusal?: Refusal;
  readonly levels: readonly Level[];
}

/** Whether a call may take what it wants of all bounds; `levels` in their order. */
export function rule(bounds: readonly Bound[], levels: readonly Level[]): Ruling {
  const after: Level[] = [];
  let refusal: Refusal | undefined;
  for (const [index, bound] of bounds.entries()) {
    const before = levels[index] ?? IDLE;
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

/** Why a bound cannot bear to stand so; what takes longest, where there are several reasons. */
function refuse(bound: Bound, { requestsMs, tokensMs, running }: Level): Refusal | undefined {
  const { tokensPerMinute = Infinity, concurrency = Infinity } = bound.limits;
  if (bound.tokens > tokensPerMinute) return { by: "tokens", bound };
  const aheadMs = Math.max(requestsMs, tokensMs);
  const isFull = running > concurrency;
  if (aheadMs > BURST_MS + GRAIN_MS) {
    const by = tokensMs > requestsMs ? "tokens" : "requests";
    const waitMs = aheadMs - BURST_MS;
    return { by, bound, retryAfterMs: isFull ? Math.max(waitMs, PLACE_WAIT_MS) : waitMs };
  }
  return isFull ? { by: "concurrency", bound, retryAfterMs: PLACE_WAIT_MS } : undefined;
}

/** Ahead by how much after taking so many, or giving them back where negative. */
export function ahead(beforeMs: number, amount: number, perMinute: number | undefined): number {
  if (perMinute === undefined) return 0;
  const afterMs = Math.max(0, beforeMs) + (amount * BURST_MS) / perMinute;
  return Math.min(Math.max(0, afterMs), MAX_AHEAD_MS);
}

export function verdictOf(bounds: readonly Bound[], { refusal, levels }: Ruling): Verdict {
  const statuses = bounds.map((bound, index) => standingOf(bound, levels[index] ?? IDLE));
  return refusal === undefined ? { statuses } : { refusal, statuses };
}

function standingOf({ limits }: Bound, { requestsMs, tokensMs }: Level): RateLimitStatus {
  const { requestsPerMinute, tokensPerMinute } = limits;
  return {
    ...(requestsPerMinute === undefined
      ? {}
      : { requests: allowance(requestsPerMinute, requestsMs) }),
    ...(tokensPerMinute === undefined ? {} : { tokens: allowance(tokensPerMinute, tokensMs) }),
  };
}

function allowance(limit: number, aheadMs: number): Allowance {
  const remaining = Math.floor(((BURST_MS - aheadMs + GRAIN_MS) * limit) / BURST_MS);
  return { limit, remaining: Math.min(Math.max(0, remaining), limit), resetMs: aheadMs };
}

function waitOf(refusal: Refusal | undefined): number {
  return refusal === undefined ? 0 : (refusal.retryAfterMs ?? Infinity);
}

const IDLE: Level = { requestsMs: 0, tokensMs: 0, running: 0 };
