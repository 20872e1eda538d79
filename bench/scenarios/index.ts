import type { Options } from "../options.ts";
import type { Scenario } from "../scenario.ts";
import {
  CPU,
  crowd,
  DATABASE_CPU,
  FAILED,
  PEAK_MB,
  PER_SECOND,
  type CrowdScenario,
} from "./crowd.ts";
import { garbage, GARBAGE_KB } from "./garbage.ts";
import { many } from "./many.ts";
import { memory } from "./memory.ts";
import { pause } from "./pause.ts";
import { refused } from "./refused.ts";
import { slowReaders } from "./slow-readers.ts";
import { PER_FULL_CORE, SHARE, TWO_PROCESSES, workers } from "./workers.ts";

/** How much time is given to each scenario. */
interface Effort {
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
  const others = [...costs(effort), ...waits(effort), ...sizes(effort)];
  return [...others.map(withoutWorkers), processes(effort)];
}

/** Two processes are measured beside one, and nowhere else. */
function withoutWorkers(scenario: Scenario): Scenario {
  return { ...scenario, includes: (id) => id !== TWO_PROCESSES && scenario.includes(id) };
}

function processes(effort: Effort): Scenario {
  const { whole } = loads(effort);
  // The system gives each process about half of so many connections.
  const callers = 256;
  return workers({
    ...whole,
    id: "workers",
    title: `whole answer, ${callers} callers`,
    variant: { callsAtOnce: callers },
    warmup: { ...whole.warmup, callers },
    measured: { ...whole.measured, callers },
    figures: [PER_FULL_CORE, SHARE, PER_SECOND, CPU, DATABASE_CPU, { ...FAILED, atMost: 0 }],
  });
}

/** What a call costs. */
function costs(effort: Effort): readonly Scenario[] {
  const { busy, whole, streamed } = loads(effort);
  const failed = { ...FAILED, atMost: 0 };
  return [
    crowd({
      ...whole,
      id: "unary",
      title: "whole answer, 32 callers",
      figures: [{ ...CPU, atMost: 6 }, DATABASE_CPU, PER_SECOND, PEAK_MB, failed],
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
      figures: [{ ...CPU, atMost: 1.9 }, DATABASE_CPU, PEAK_MB, failed],
    }),
    crowd({
      ...streamed,
      id: "translated",
      title: "the same, translated to another style",
      isTranslated: true,
      leavesOut: ["bare", "floor", "portkey", "litellm"],
      figures: [{ ...CPU, atMost: 2.5 }, DATABASE_CPU, PEAK_MB, failed],
    }),
  ];
}

/** How long callers wait. */
function waits(effort: Effort): readonly Scenario[] {
  const { whole } = loads(effort);
  const durationMs = effort.quick ? 1_500 : 5_000;
  const slow = ["portkey", "litellm"];
  return [
    crowd({
      ...whole,
      id: "latency",
      title: "one call at a time",
      measured: { ...whole.measured, callers: 1, durationMs },
      figures: [
        { id: "totalP50", title: "p50 ms", beside: "difference", atMost: 0.5 },
        { id: "totalP99", title: "p99 ms", beside: "difference", atMost: 1 },
      ],
    }),
    crowd({
      ...whole,
      id: "paced",
      title: "ten callers, 100 calls a second",
      measured: { ...whole.measured, callers: 10, durationMs, perSecond: 100 },
      figures: [
        { id: "totalP50", title: "p50 ms", beside: "difference", atMost: 1.5 },
        { id: "totalP99", title: "p99 ms", beside: "difference", atMost: 2.5 },
      ],
    }),
    pause({
      ...whole,
      id: "pause",
      title: "others' wait beside 5,000 calls a second",
      leavesOut: slow,
      measured: { ...whole.measured, callers: 64, durationMs, perSecond: 5_000 },
      figures: [
        PER_SECOND,
        { id: "waitP50", title: "wait p50 ms" },
        { id: "waitP99", title: "wait p99 ms" },
        { id: "waitP999", title: "wait p99.9 ms", beside: "difference", atMost: 5 },
      ],
    }),
    refused({
      id: "refused",
      title: "ten callers, 100 calls a second, beside 200 who are refused without pause",
      rounds: effort.rounds,
      firstWarmupMs: whole.firstWarmupMs,
      others: { ...whole.measured, callers: 10, durationMs, perSecond: 100 },
      refusals: [401, 402, 404, 429, 503],
    }),
  ];
}

/** What a process holds. */
function sizes(effort: Effort): readonly Scenario[] {
  const { whole, streamed } = loads(effort);
  const figures = [
    { ...PEAK_MB, atMost: 150 },
    { id: "afterMb", title: "memory MB two seconds later", atMost: 150 },
  ];
  const base = { rounds: effort.rounds, variant: {}, figures };
  const both = {
    ...base,
    id: "memory",
    title: `memory after 32 callers and then ${streamed.measured.callers} streams`,
  };
  return [
    memory(both, [
      { ...both, ...whole },
      { ...both, ...streamed },
    ]),
    ...STREAM_COUNTS.filter(({ streams }) => !effort.quick || streams <= 2_000).map((each) =>
      manyStreams(each, effort),
    ),
    slowReaders({
      id: "slow-readers",
      title: "200 slow readers of endless streams",
      rounds: Math.min(effort.rounds, 2),
      readers: 200,
      everyMs: 500,
      durationMs: effort.quick ? 4_000 : 15_000,
      figures: [{ id: "growthMiB", title: "growth of memory MiB", atMost: 64 }],
    }),
  ];
}

interface Many {
  readonly streams: number;
  readonly rampMs: number;
  /** The more streams, the further apart their events: the machine's load stays the same. */
  readonly paceMs: number;
  readonly atMostMb: number;
}

const STREAM_COUNTS: readonly Many[] = [
  { streams: 2_000, rampMs: 1_000, paceMs: 82, atMostMb: 160 },
  { streams: 5_000, rampMs: 3_000, paceMs: 200, atMostMb: 250 },
  { streams: 10_000, rampMs: 6_000, paceMs: 400, atMostMb: 600 },
];

function manyStreams({ streams, rampMs, paceMs, atMostMb }: Many, effort: Effort): Scenario {
  const { streamed } = loads(effort);
  return many({
    ...streamed,
    id: `many-${streams}`,
    title: `${streams} streams of ${Math.round((61 * paceMs) / 1000)} s at once`,
    // One run of these takes as long as several rounds of the others.
    rounds: Math.min(effort.rounds, 2),
    variant: streams > 2_000 ? { callsAtOnce: streams } : {},
    leavesOut: streams > 2_000 ? ["portkey", "litellm"] : ["litellm"],
    measured: {
      callers: streams,
      rampMs,
      durationMs: 0,
      paceMs,
      timeoutMs: TIMEOUT_MS + 2 * 61 * paceMs,
    },
    figures: [
      { ...PEAK_MB, atMost: atMostMb },
      { ...FAILED, atMost: 0 },
      { id: "late", title: "settled late", atMost: 0 },
      { id: "openAtOnce", title: "open at once" },
    ],
  });
}

/** The load of the first asked scenario that a profile can be taken of; whole answers otherwise. */
export function profiledCrowd({ quick, only }: Pick<Options, "quick" | "only">): CrowdScenario {
  const { whole, streamed } = loads({ quick, rounds: 1 });
  const base = { id: "profile", title: "", figures: [] };
  const [first] = only.filter((id) => id === "unary" || id === "stream" || id === "translated");
  if (first === undefined || first === "unary") {
    const leastCalls = quick ? 1_000 : 10_000;
    return { ...base, ...whole, measured: { ...whole.measured, leastCalls } };
  }
  return { ...base, ...streamed, isTranslated: first === "translated" };
}

/** What the ladder measures of each rung. */
export function ladderScenarios(effort: Effort): readonly Scenario[] {
  const rounds = { ...effort, isLadder: true };
  return scenarios(rounds).filter(({ id }) => id === "unary" || id === "garbage");
}
