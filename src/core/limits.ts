/** How fast somebody may call; no bound where a member is absent. */
export interface RateLimits {
  readonly requestsPerMinute?: number;
  /** Input and output; reserved on admission by the estimate, corrected by what was used. */
  readonly tokensPerMinute?: number;
  /** Calls at once. */
  readonly concurrency?: number;
}

/** What is absent stays as it is; `null` takes a bound away. */
export type RateLimitsChange = { readonly [Name in keyof RateLimits]?: number | null };

/** Somebody or something that has limits: a key, a user, a model, a channel. */
export interface Limited {
  /** `key:31`. Two with the same id share what there is. */
  readonly id: string;
  readonly limits: RateLimits;
}

/** One whose limits a call is under, and the tokens that it reserves there. */
export interface Bound extends Limited {
  readonly tokens: number;
}

/** What a call takes: of everybody whose limits it is under, or of nobody. */
export interface RateReservation {
  /** Names the call's places among those of all gateways. */
  readonly id: string;
  readonly bounds: readonly Bound[];
}

/**
 * Decides who may call now. Of a claim that was admitted, `correct` and
 * `release` give back what it no longer needs. Nothing of this ever throws.
 */
export interface RateLimiter {
  /** From all bounds or from none. No promise where the answer is at hand. */
  take(reservation: RateReservation): Verdict | Promise<Verdict>;
  /** The call is over, and this is what it used: the rest goes back, what is missing is owed. */
  correct(reservation: RateReservation, usedTokens: number): void;
  /** Gives the call's places back. Its requests stay counted. */
  release(reservation: RateReservation): void;
}

export interface Verdict {
  /** Absent where the call was admitted. */
  readonly refusal?: Refusal;
  /** After the decision, in the order of the bounds. */
  readonly statuses: readonly RateLimitStatus[];
}

export interface Refusal {
  readonly by: Dimension;
  /** The bound at its limit; of several the one that takes longest. */
  readonly bound: Bound;
  /** Absent where waiting does not help: the call is larger than a whole minute's worth. */
  readonly retryAfterMs?: number;
}

type Dimension = "requests" | "tokens" | "concurrency";

/** What is left of a bound. */
export interface RateLimitStatus {
  readonly requests?: Allowance;
  readonly tokens?: Allowance;
}

export interface Allowance {
  /** In a minute. */
  readonly limit: number;
  readonly remaining: number;
  /** Until all of it is there again. */
  readonly resetMs: number;
}

/** What a call may come to, in tokens. */
export interface CallSize {
  /** The question, and the answer's bound where the caller named one. */
  readonly known: number;
  /** What is assumed of an answer whose caller named no bound. */
  readonly assumed: number;
}

/**
 * What a call of this size reserves of somebody's limits. What its caller
 * named is taken at its word; our own guess must not turn a call away for
 * good, so it is cut down to what there can be.
 */
export function boundOf({ id, limits }: Limited, { known, assumed }: CallSize): Bound {
  const { tokensPerMinute: most } = limits;
  if (most === undefined) return { id, limits, tokens: 0 };
  return { id, limits, tokens: Math.max(known, Math.min(known + assumed, most)) };
}
