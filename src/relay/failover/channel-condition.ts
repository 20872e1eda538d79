import { firstByteAt, type ChannelSum } from "#core/channel-minute.ts";
import type { ChannelState } from "#core/channel-state.ts";
import type { FaultCode } from "#core/error.ts";
import type { ChannelFailure, ChannelTroubles } from "#core/channel-troubles.ts";
import { isRefusal } from "./health.ts";

export const CONDITIONS = [
  "healthy",
  "slow",
  "failing",
  "cooldown",
  "unreachable",
  "refused",
  "not serving",
  "disabled",
] as const;

/** The state of a channel in plain words. */
export interface ChannelCondition {
  readonly state: (typeof CONDITIONS)[number];
  /** The same with the reason, for people. */
  readonly text: string;
  /** Unix ms. */
  readonly since?: number;
  readonly until?: number;
}

interface Known {
  readonly isEnabled: boolean;
  /** The user who disabled it, if known. */
  readonly disabledBy?: string | undefined;
  /** The reason why it cannot serve, in its configuration. */
  readonly issue?: string | undefined;
  /** The gateway disabled it. */
  readonly disabled?: ChannelState | undefined;
  readonly troubles: ChannelTroubles;
  /** The last minutes of all gateways. */
  readonly recent: ChannelSum;
}

/** First bytes that take longer are slow for every model. */
const SLOW_MS = 10_000;
/** A channel with this share of failures is failing. */
const FAILING = 0.5;

export function conditionOf(known: Known): ChannelCondition {
  const { isEnabled, disabledBy, issue, troubles, recent } = known;
  if (!isEnabled) {
    return {
      state: "disabled",
      text: disabledBy === undefined ? "disabled" : `disabled by ${disabledBy}`,
    };
  }
  if (issue !== undefined) return { state: "not serving", text: `not serving: ${issue}` };
  if (known.disabled !== undefined) return disabledCondition(known.disabled);
  return (
    refusedCondition(troubles, recent) ??
    failingCondition(troubles, recent) ??
    cooldownCondition(troubles) ??
    slowCondition(recent) ?? { state: "healthy", text: "healthy" }
  );
}

function disabledCondition({ reason, since, probeAt }: ChannelState): ChannelCondition {
  const text =
    `disabled by the gateway since ${show(since)}, because ${reason}. ` +
    `Next test at ${show(probeAt)}.`;
  return { state: "disabled", text, since, until: probeAt };
}

/** Also if other credentials or channels serve in place of the refused one. */
function refusedCondition(
  { refusals }: ChannelTroubles,
  { faults }: ChannelSum,
): ChannelCondition | undefined {
  const [first] = refusals;
  if (first !== undefined) {
    const credential = first.credential === "" ? "" : ` (credential ${first.credential})`;
    const text = `refused since ${show(first.since)}${credential}: ${wordsOf(first)}`;
    return { state: "refused", text, since: first.since };
  }
  // Another gateway was refused.
  if (![...faults.keys()].some(isRefusal)) return undefined;
  return { state: "refused", text: "refused: the vendor refuses the API key" };
}

function failingCondition(
  { lastFailure, openUntil }: ChannelTroubles,
  { attempts, failed, faults }: ChannelSum,
): ChannelCondition | undefined {
  const isOpen = openUntil !== undefined;
  if (!isOpen && (failed === 0 || failed < attempts * FAILING)) return undefined;
  const [most] = [...faults].toSorted(([, one], [, other]) => other - one);
  const code = most?.[0] ?? lastFailure?.code;
  if (code === undefined || (code === "upstream_rate_limited" && !isOpen)) return undefined;
  const share = failed === 0 ? "" : ` ${failed} of ${attempts} attempts failed in 5 minutes.`;
  const last = lastFailure?.code === code ? ` Last failure: ${wordsOf(lastFailure)}` : "";
  const until = isOpen ? ` Paused until ${show(openUntil)}.` : "";
  const { state, text } = STATE_OF_FAULT[code] ?? FAILING_STATE;
  return {
    state,
    ...(isOpen ? { until: openUntil } : {}),
    text: `${text}:${share}${until}${last}`,
  };
}

const FAILING_STATE: ChannelCondition = { state: "failing", text: "failing" };
const STATE_OF_FAULT: Partial<Record<FaultCode, ChannelCondition>> = {
  upstream_unreachable: { state: "unreachable", text: "unreachable" },
  upstream_timeout: { state: "slow", text: "slow, its answers come too late" },
};

function cooldownCondition({ cooldownUntil }: ChannelTroubles): ChannelCondition | undefined {
  if (cooldownUntil === undefined) return undefined;
  const text = `cooldown until ${show(cooldownUntil)}: the vendor asked to wait`;
  return { state: "cooldown", text, until: cooldownUntil };
}

function slowCondition(recent: ChannelSum): ChannelCondition | undefined {
  const median = firstByteAt(recent, 0.5);
  if (median === undefined || median < SLOW_MS) return undefined;
  const text = `slow: half of the answers begin after ${(median / 1_000).toFixed(1)} s`;
  return { state: "slow", text };
}

function wordsOf({ status, reason }: ChannelFailure): string {
  return status === undefined ? reason : `${reason} (HTTP ${status})`;
}

function show(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}
