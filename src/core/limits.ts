import type { Period } from "./key.ts";

/** Rate limits of one client, model or channel; an absent field is unlimited. */
export interface RateLimits {
  readonly requestsPerMinute?: number;
  /** Input plus output. The estimate is reserved on admission and corrected by the actual usage. */
  readonly tokensPerMinute?: number;
  /** Concurrent calls. */
  readonly concurrency?: number;
}

/** Absent fields stay unchanged; `null` removes a limit. */
export type RateLimitsChange = { readonly [Name in keyof RateLimits]?: number | null };

/** A key, user, model or channel with rate limits. */
export interface Limited {
  /** `key:31`. Two with the same id share one allowance. */
  readonly id: string;
  readonly limits: RateLimits;
}

/** A limited owner, and the tokens that a call reserves there. */
export interface Bound extends Limited {
  readonly tokens: number;
}

/** The rate reservation of one call: it reserves from all of its bounds or from none. */
export interface RateReservation {
  /** Identifies the call's concurrency slots among all gateways. */
  readonly id: string;
  readonly bounds: readonly Bound[];
}

/**
 * The rate limiter. After an admission, `correct` and `release` return unused
 * parts of the reservation. No method throws.
 */
export interface RateLimiter {
  /** Reserves from all bounds or from none. Returns no promise if the decision needs no wait. */
  take(reservation: RateReservation): Verdict | Promise<Verdict>;
  /**
   * Corrects the reservation by the actual usage: the rest is returned, the
   * excess becomes debt.
   */
  correct(reservation: RateReservation, usedTokens: number): void;
  /** Releases the call's concurrency slots. Its requests stay counted. */
  release(reservation: RateReservation): void;
  /** The decision that `take` would make now. Takes nothing. */
  peek(bounds: readonly Bound[]): Verdict | Promise<Verdict>;
}

export interface Verdict {
  /** Absent if the call was admitted. */
  readonly refusal?: Refusal;
  /** The state after the decision, in the order of the bounds. */
  readonly statuses: readonly RateLimitStatus[];
}

export interface Refusal {
  readonly by: Dimension;
  /** The exceeded bound; of several the one with the longest wait. */
  readonly bound: Bound;
  /** Absent if waiting does not help: the call exceeds the limit of a whole minute. */
  readonly retryAfterMs?: number;
}

export const DIMENSIONS = ["requests", "tokens", "concurrency"] as const;

type Dimension = (typeof DIMENSIONS)[number];

/** The limit that refused a call. */
export interface ExceededLimit {
  /** Its owner: `key:31`, `user:7`, `team:2`, `group:2`, `gateway:0`, or a model. */
  readonly of: string;
  /** A rate, a period of a budget, or `total` for a quota. */
  readonly by: Dimension | Period | "total";
  /** Of a rate. */
  readonly amount?: number;
}

/** The remaining allowances of a bound. */
export interface RateLimitStatus {
  readonly requests?: Allowance;
  readonly tokens?: Allowance;
}

export interface Allowance {
  /** Per minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Ms until the allowance is full again. */
  readonly resetMs: number;
}

/** The maximum size of a call in tokens. */
export interface CallSize {
  /** The input, plus the output limit if the client set one. */
  readonly known: number;
  /** The assumed output if the client set no limit. */
  readonly assumed: number;
}

/**
 * The reservation of a call of this size under one owner's limits. The client's
 * own numbers count in full. Our assumption is capped at the limit: a larger one
 * would make the call impossible to admit.
 */
export function boundOf({ id, limits }: Limited, { known, assumed }: CallSize): Bound {
  const { tokensPerMinute: most } = limits;
  if (most === undefined) return { id, limits, tokens: 0 };
  return { id, limits, tokens: Math.max(known, Math.min(known + assumed, most)) };
}
