import type { AttemptRecord, CallOutcome, CallRecord } from "#core/call.ts";
import type { FaultCode, GatewayError } from "#core/error.ts";
import { nanoUsd, rateUsage, type NanoUsd, type PriceOf } from "#core/money.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import type { Clock } from "#lib/clock.ts";
import type { Mutable } from "#lib/values.ts";
import type { Served } from "../call.ts";
import { isUnpriced, type Candidate } from "../routing/route.ts";

/** The course of a call. */
interface Course {
  readonly outcome: CallOutcome;
  readonly fault: FaultCode | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  /** The route of the response, if one started. */
  readonly route: Candidate | undefined;
  readonly priceOf?: PriceOf | undefined;
  /** Monotonic ms. */
  readonly firstByteAt: number | undefined;
  readonly upstreamMs: number;
  readonly attempts: readonly AttemptRecord[];
  readonly lost: readonly string[];
}

const MAX_NAME_CHARS = 256;

/**
 * Creates the journal record of a call at its end. Optional fields are assigned, because a spread
 * of each would allocate an object for every call.
 */
export function recordOf(call: Served, clock: Clock, course: Course): CallRecord {
  const { key, facts, style, startedAt, traceparent } = call;
  const { route, firstByteAt } = course;
  const record: Mutable<CallRecord> = {
    id: call.id,
    at: call.at,
    userId: key.userId,
    keyId: key.id,
    // An unknown model name may be any text of the client.
    model: facts.model.slice(0, MAX_NAME_CHARS),
    upstreamModel: route?.upstreamModel ?? null,
    channel: route?.channel.name ?? null,
    provider: route?.provider.id ?? null,
    style: style.id,
    isStream: facts.stream,
    outcome: course.outcome,
    fault: course.fault,
    usage: course.usage,
    cost: course.cost,
    firstByteMs: firstByteAt === undefined ? null : Math.round(firstByteAt - startedAt),
    durationMs: Math.round(clock.monotonic() - startedAt),
    upstreamMs: course.upstreamMs,
    overheadMs: firstByteAt === undefined ? null : firstByteAt - startedAt - course.upstreamMs,
    attempts: course.attempts,
    lost: course.lost,
  };
  addOwner(record, call);
  if (traceparent !== undefined) record.traceparent = traceparent;
  if (route !== undefined) addPrice(record, route, course);
  return record;
}

/** The parts of a call that both its record and its hold name. */
export function addOwner(
  to: Mutable<Pick<CallRecord, "endpoint" | "teamId" | "groupId" | "tags">>,
  { endpoint, key, tags }: Pick<Served, "endpoint" | "key" | "tags">,
): void {
  if (endpoint !== undefined) to.endpoint = endpoint;
  if (key.teamId !== undefined) to.teamId = key.teamId;
  if (key.group !== undefined) to.groupId = key.group.id;
  if (tags !== undefined) to.tags = tags;
}

function addPrice(record: Mutable<CallRecord>, route: Candidate, course: Course): void {
  if (isUnpriced(route)) record.isUnpriced = true;
  if (route.price === undefined || course.cost === 0) return;
  const { rates, charges } = rateUsage(course.usage, route.price, course.priceOf);
  record.rates = rates;
  if (charges !== undefined) record.charges = charges;
}

/** A call that was refused before anything was reserved. */
export function recordOfRefusal(call: Served, error: GatewayError, clock: Clock): CallRecord {
  const record = recordOf(call, clock, {
    outcome: "failed",
    fault: error.code,
    usage: NO_USAGE,
    cost: nanoUsd(0),
    route: undefined,
    firstByteAt: undefined,
    upstreamMs: 0,
    attempts: [],
    lost: [],
  });
  return error.limit === undefined ? record : { ...record, refusedBy: error.limit };
}
