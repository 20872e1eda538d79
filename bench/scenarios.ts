import type { Crowd } from "./load.ts";
import type { Ask } from "./payload.ts";
import type { TargetId } from "./targets/target.ts";

/** One way of using a gateway, the same for every target. */
export interface Scenario {
  readonly id: ScenarioId;
  readonly title: string;
  readonly kind: Ask["kind"];
  /** Sluice is asked in another style than the upstream's; the others pass on what they get. */
  readonly translates: boolean;
  readonly warmup: Crowd;
  /** In the first round, when a runtime has yet to compile what it runs. */
  readonly firstWarmupMs: number;
  readonly measured: Crowd;
  readonly rounds: number;
  readonly leavesOut: readonly TargetId[];
  /** How long memory is given to settle before it is read once more. */
  readonly settleMs: number;
}

export type ScenarioId = "unary" | "stream" | "translated" | "many";

export const MANY_STREAMS = 2000;

export function scenarios(quick: boolean): readonly Scenario[] {
  const warmupMs = quick ? 150 : 500;
  const firstWarmupMs = quick ? 400 : 10_000;
  const durationMs = quick ? 500 : 2500;
  const manyPaceMs = quick ? 40 : 82;
  const busy = { callers: 16, rampMs: 0, paceMs: 1, timeoutMs: 20_000 };
  return [
    {
      id: "unary",
      title: "unary, 32 callers",
      kind: "unary",
      translates: false,
      warmup: { ...busy, callers: 32, durationMs: warmupMs },
      firstWarmupMs,
      measured: { ...busy, callers: 32, durationMs },
      rounds: 3,
      leavesOut: [],
      settleMs: 0,
    },
    {
      // A millisecond apart, events arrive one by one: the cost is that of forwarding each.
      id: "stream",
      title: "stream of 60 events, 16 callers",
      kind: "stream",
      translates: false,
      warmup: { ...busy, durationMs: warmupMs },
      firstWarmupMs,
      measured: { ...busy, durationMs },
      rounds: 3,
      leavesOut: [],
      settleMs: 0,
    },
    {
      id: "translated",
      title: "stream of 60 events, 16 callers, asked for in another style",
      kind: "stream",
      translates: true,
      warmup: { ...busy, durationMs: warmupMs },
      firstWarmupMs,
      measured: { ...busy, durationMs },
      rounds: 3,
      leavesOut: ["bare", "seeing", "portkey"],
      settleMs: 0,
    },
    {
      id: "many",
      title: `${MANY_STREAMS} streams of about ${((61 * manyPaceMs) / 1000).toFixed(1)} s at once`,
      kind: "stream",
      translates: false,
      warmup: { ...busy, durationMs: warmupMs },
      firstWarmupMs,
      measured: {
        callers: MANY_STREAMS,
        rampMs: quick ? 500 : 1000,
        durationMs: 0,
        paceMs: manyPaceMs,
        timeoutMs: 60_000,
      },
      rounds: quick ? 1 : 3,
      // It takes as long for this as all others together, and no target depends on it.
      leavesOut: quick ? ["portkey"] : [],
      settleMs: 1000,
    },
  ];
}
