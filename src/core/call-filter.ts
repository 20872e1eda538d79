import type { CallFilter, CallRecord, CallScope } from "./call.ts";
import { FAULTS, type FaultCode } from "./error.ts";

/** The status of an answer without a fault. */
export const OK_STATUS = 200;

export function statusOf({ fault }: Pick<CallRecord, "fault">): number {
  return fault === null ? OK_STATUS : FAULTS[fault].status;
}

/** The faults that an answer of this status has. */
export function faultsOf(status: number): readonly FaultCode[] {
  return FAULT_CODES.filter((code) => FAULTS[code].status === status);
}

const isFault = (text: string): text is FaultCode => text in FAULTS;
export const FAULT_CODES: readonly FaultCode[] = Object.keys(FAULTS).filter(isFault);

export function endOf({ at, durationMs }: Pick<CallRecord, "at" | "durationMs">): number {
  return at + durationMs;
}

function isInScope(call: CallRecord, { userId, teamId }: CallScope): boolean {
  return is(userId, call.userId) && is(teamId, call.teamId);
}

/** The same decision for one call as the search of the journal makes for all. */
export function matches(call: CallRecord, filter: CallFilter): boolean {
  return isInScope(call, filter) && hasProperties(call, filter) && isWithin(call, filter);
}

function hasProperties(call: CallRecord, filter: CallFilter): boolean {
  const failedOn = (channel: string): boolean =>
    call.attempts.some((each) => each.channel === channel && each.fault !== null);
  const { channel, failedChannel, tag } = filter;
  return (
    is(filter.keyId, call.keyId) &&
    is(filter.groupId, call.groupId) &&
    is(filter.outcome, call.outcome) &&
    is(filter.fault, call.fault) &&
    is(filter.status, statusOf(call)) &&
    is(filter.model, call.model) &&
    is(filter.upstreamModel, call.upstreamModel) &&
    is(filter.style, call.style) &&
    is(filter.endpoint, call.endpoint) &&
    is(filter.session, call.tags?.session) &&
    (channel === undefined || call.channel === channel || failedOn(channel)) &&
    (failedChannel === undefined || failedOn(failedChannel)) &&
    (tag === undefined || call.tags?.free?.includes(tag) === true)
  );
}

function isWithin(call: CallRecord, { from, to, minCost, minDurationMs }: CallFilter): boolean {
  const end = endOf(call);
  return (
    end >= (from ?? -Infinity) &&
    end < (to ?? Infinity) &&
    call.cost >= (minCost ?? -Infinity) &&
    call.durationMs >= (minDurationMs ?? -Infinity)
  );
}

/** Without a wanted value, every value will do. */
function is<T>(wanted: T | undefined, value: T | null | undefined): boolean {
  return wanted === undefined || value === wanted;
}
