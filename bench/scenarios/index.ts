import type { Options } from "../options.ts";
import type { Scenario } from "../scenario.ts";
import { CPU, crowd, FAILED, PEAK_MB, PER_SECOND, type CrowdScenario } from "./crowd.ts";
import { garbage, GARBAGE_KB } from "./garbage.ts";

/** How much time is given to each scenario. */
export interface Effort {
  readonly quick: boolean;
  readonly rounds: number;
  /** Many small programs, which compile sooner. */
  readonly isLadder?: boolean;
}

const TIMEOUT_MS = 60_000;

/** The loads that several scenarios share. */
function loads({ quick, rounds, isLadder = false }: Effort) {
  const warmupMs = quick ? 150 : 500;
  const common = { variant: {}, rounds, firstWarmupMs: quick ? 1_000 : isLadder ? 4_000 : 10_000 };
  const durationMs = quick ? 1_000 : 2_500;
  const busy = { callers: 32, rampMs: 0, paceMs: 10, timeoutMs: TIMEOUT_MS };
  const streams = { ...busy, callers: quick ? 50 : 200, rampMs: 500 };
  const whole = {
    ...common,
    kind: "unary",
    warmup: { ...busy, durationMs: warmupMs },
    measured: { ...busy, durationMs },
  } satisfies Partial<CrowdScenario>;
  const streamed = {
    ...common,
    kind: "stream",
    warmup: { ...streams, durationMs: warmupMs },
    firstWarmupMs: quick ? 1_000 : 8_000,
    measured: { ...streams, durationMs: 2 * durationMs },
  } satisfies Partial<CrowdScenario>;
  return { common, busy, whole, streamed };
}

/** All scenarios, in the order of the table. */
export function scenarios(effort: Effort): readonly Scenario[] {
  const { busy, whole, streamed } = loads(effort);
  return [
    crowd({
      ...whole,
      id: "unary",
      title: "whole answer, 32 callers",
      figures: [{ ...CPU, atMost: 6 }, PER_SECOND, PEAK_MB, FAILED],
    }),
    garbage({
      ...whole,
      id: "garbage",
      title: "whole answer, garbage",
      variant: { logsCollections: true },
      measured: {
        ...busy,
        durationMs: effort.quick ? 500 : 2_000,
        leastCalls: effort.quick ? 4_000 : 10_000,
      },
      figures: [
        GARBAGE_KB,
        { id: "mainGarbageKb", title: "of it on the main thread" },
        { id: "collectionsPer1000", title: "collections per 1,000 calls" },
        { id: "longestCollectionMs", title: "longest collection ms" },
      ],
    }),
    crowd({
      ...streamed,
      id: "stream",
      title: `stream of 60 events 10 ms apart, ${streamed.measured.callers} callers`,
      figures: [{ ...CPU, atMost: 1.9 }, PEAK_MB, FAILED],
    }),
    crowd({
      ...streamed,
      id: "translated",
      title: "the same, translated to another style",
      isTranslated: true,
      leavesOut: ["bare", "seeing", "floor", "portkey", "litellm"],
      figures: [{ ...CPU, atMost: 2.5 }, PEAK_MB, FAILED],
    }),
  ];
}

/** The load of the first asked scenario that a profile can be taken of; whole answers otherwise. */
export function profiledCrowd({ quick, only }: Pick<Options, "quick" | "only">): CrowdScenario {
  const { whole, streamed } = loads({ quick, rounds: 1 });
  const base = { id: "profile", title: "", figures: [] };
  const found = only.find((id) => id === "unary" || id === "stream" || id === "translated");
  if (found === undefined || found === "unary" || only.length > 3) return { ...base, ...whole };
  return { ...base, ...streamed, isTranslated: found === "translated" };
}

/** What the ladder measures of each rung. */
export function ladderScenarios(effort: Effort): readonly Scenario[] {
  const rounds = { ...effort, isLadder: true };
  return scenarios(rounds).filter(({ id }) => id === "unary" || id === "garbage");
}
