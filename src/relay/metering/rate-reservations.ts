import { GatewayError } from "#core/error.ts";
import { userLimitsIn } from "#core/group.ts";
import type { ApiKey } from "#core/key.ts";
import {
  boundOf,
  type Allowance,
  type Bound,
  type RateReservation,
  type Limited,
  type RateLimiter,
  type RateLimits,
  type Refusal,
  type RateLimitStatus,
  type Verdict,
} from "#core/limits.ts";
import type { Mutable } from "#lib/values.ts";
import type { Served } from "../call.ts";
import type { Candidate, Router } from "../routing/route.ts";

export interface RateReservationDeps {
  readonly limiter: RateLimiter;
  /** Limits of every user over all keys, unless the user's group sets others. */
  readonly userLimits: RateLimits | undefined;
  readonly router: Router;
}

/**
 * Reserves a call's share of the rate limits of its key, user, group and model, or throws
 * `rate_limited`. Returns nothing, synchronously, if no limit applies.
 */
export function reserveForCaller(
  call: Served,
  deps: RateReservationDeps,
): RateReservation | Promise<RateReservation> | undefined {
  const { key, facts } = call;
  const ofCaller = callerLimits(key, deps.userLimits);
  const ofModel = deps.router.limitsOn(key, facts.model);
  if (ofCaller.length === 0 && ofModel.length === 0) return undefined;
  return reserve(call, ofModel.length === 0 ? ofCaller : [...ofCaller, ...ofModel], deps);
}

/**
 * Counts a request without a model against the limits of its key, user and group, or throws
 * `rate_limited`. It reserves no tokens, and its slot is released at once.
 */
export async function countRequest(
  key: ApiKey,
  id: string,
  { limiter, userLimits }: Pick<RateReservationDeps, "limiter" | "userLimits">,
): Promise<RateLimitStatus> {
  const bounds = callerLimits(key, userLimits).map((each) => boundOf(each, NO_TOKENS));
  if (bounds.length === 0) return {};
  const reserve = { id, bounds };
  const verdict = await limiter.take(reserve);
  if (verdict.refusal !== undefined) throw refused(verdict.refusal);
  limiter.release(reserve);
  return callerStatus(bounds, verdict);
}

const NO_TOKENS = { known: 0, assumed: 0 };

/** Releases the reservation of a finished or refused call. Its requests stay counted. */
export function release(taken: RateReservation, usedTokens: number, limiter: RateLimiter): void {
  limiter.correct(taken, usedTokens);
  limiter.release(taken);
}

/** Reserves an attempt's share of a channel's limits; undefined if it has none. */
export function reserveOnChannel(
  route: Candidate,
  call: Served,
  { router }: Pick<RateReservationDeps, "router">,
): RateReservation | undefined {
  const { name, limits } = route.channel;
  if (limits === undefined) return undefined;
  const size = router.sizeOf(call, [route]);
  return { id: call.id, bounds: [boundOf({ id: `channel:${name}`, limits }, size)] };
}

/** Reads rate limits without reserving anything. */
export interface RateView extends Pick<RateReservationDeps, "userLimits"> {
  readonly limiter: Pick<RateLimiter, "peek">;
}

/** The error that a call would get now because of a rate limit. Reserves nothing. */
export async function rateRefusal(
  call: Served,
  { limiter, userLimits, router }: RateView & Pick<RateReservationDeps, "router">,
): Promise<GatewayError | undefined> {
  const { key, facts } = call;
  const limited = [...callerLimits(key, userLimits), ...router.limitsOn(key, facts.model)];
  if (limited.length === 0) return undefined;
  const size = router.sizeOf(call);
  const { refusal } = await limiter.peek(limited.map((each) => boundOf(each, size)));
  return refusal && refused(refusal);
}

/** Returns no promise if the limiter decides without a wait. */
function reserve(
  call: Served,
  limited: readonly Limited[],
  { limiter, router }: RateReservationDeps,
): RateReservation | Promise<RateReservation> {
  const size = router.sizeOf(call);
  const bounds: Bound[] = [];
  for (const each of limited) bounds.push(boundOf(each, size));
  const wanted = { id: call.id, bounds };
  const asked = limiter.take(wanted);
  return asked instanceof Promise
    ? reserveAfter(asked, wanted, call)
    : unlessRefused(wanted, asked, call);
}

async function reserveAfter(
  asked: Promise<Verdict>,
  wanted: RateReservation,
  call: Served,
): Promise<RateReservation> {
  return unlessRefused(wanted, await asked, call);
}

function unlessRefused(wanted: RateReservation, verdict: Verdict, call: Served): RateReservation {
  call.onStanding?.(callerStatus(wanted.bounds, verdict));
  if (verdict.refusal !== undefined) throw refused(verdict.refusal);
  return wanted;
}

/** One list for all calls of a key, which is replaced as a whole if it changes. */
interface KnownLimits {
  readonly everybodys: RateLimits | undefined;
  readonly limited: readonly Limited[];
}

const knownLimits = new WeakMap<ApiKey, KnownLimits>();

/** The limits of a key, its user and its group. */
export function callerLimits(key: ApiKey, everybodys: RateLimits | undefined): readonly Limited[] {
  const known = knownLimits.get(key);
  if (known !== undefined && known.everybodys === everybodys) return known.limited;
  const limited = limitsOf(key, everybodys);
  knownLimits.set(key, { everybodys, limited });
  return limited;
}

function limitsOf(key: ApiKey, everybodys: RateLimits | undefined): readonly Limited[] {
  const { group } = key;
  const ofUser = group === undefined ? everybodys : userLimitsIn(group, everybodys);
  if (key.limits === undefined && ofUser === undefined && group === undefined) return NOT_LIMITED;
  return [
    ...(key.limits === undefined ? [] : [{ id: `key:${key.id}`, limits: key.limits }]),
    ...(ofUser === undefined ? [] : [{ id: `user:${key.userId}`, limits: ofUser }]),
    ...(group?.sharedLimits === undefined
      ? []
      : [{ id: `group:${group.id}`, limits: group.sharedLimits }]),
  ];
}

const NOT_LIMITED: readonly Limited[] = [];

/** The caller's tightest limit; the load of a model or group by others is not revealed. */
function callerStatus(bounds: readonly Bound[], { statuses }: Verdict): RateLimitStatus {
  const tightest: Mutable<RateLimitStatus> = {};
  let index = 0;
  for (const { id } of bounds) {
    const status = statuses[index++];
    if (status === undefined || !(id.startsWith("key:") || id.startsWith("user:"))) continue;
    const { requests, tokens } = status;
    if (requests !== undefined) tightest.requests = scarcer(requests, tightest.requests);
    if (tokens !== undefined) tightest.tokens = scarcer(tokens, tightest.tokens);
  }
  return tightest;
}

/** The smaller rest; of equal ones, the one with the longer wait. */
function scarcer(one: Allowance, earlier: Allowance | undefined): Allowance {
  if (earlier === undefined) return one;
  const order = one.remaining - earlier.remaining || earlier.resetMs - one.resetMs;
  return order < 0 ? one : earlier;
}

function refused({ by, bound, retryAfterMs }: Refusal): GatewayError {
  const { requestsPerMinute, tokensPerMinute, concurrency } = bound.limits;
  const amount = { requests: requestsPerMinute, tokens: tokensPerMinute, concurrency }[by];
  const limit = { of: bound.id, by, ...(amount === undefined ? {} : { amount }) };
  const who = nameOf(bound);
  const most = {
    requests: `${requestsPerMinute} requests a minute`,
    tokens: `${tokensPerMinute} tokens a minute`,
    concurrency: `${concurrency} calls at once`,
  }[by];
  if (retryAfterMs !== undefined) {
    return new GatewayError("rate_limited", `This ${who} is at its limit of ${most}.`, {
      retryAfterMs,
      limit,
    });
  }
  return new GatewayError(
    "rate_limited",
    `This call may need ${bound.tokens} tokens, and this ${who} has ${most}: ` +
      "lower max_tokens or send less.",
    { limit },
  );
}

function nameOf({ id }: Bound): string {
  if (id.startsWith("key:")) return "API key";
  if (id.startsWith("group:")) return "account's group";
  return id.startsWith("user:") ? "account" : "model";
}
