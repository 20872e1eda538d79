import { defined } from "#lib/values.ts";
import { serviceTierOf, wordOf, type ServedAs } from "./price-condition.ts";

/**
 * What one call used. `inputTokens` and `outputTokens` are totals; the other
 * counts of tokens are parts of them, whatever way the vendor reports it. What
 * is no token is counted beside them, and 0 where absent.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Those of `cacheWriteTokens` that are kept for long, at a vendor that has a price for it. */
  readonly longCacheWriteTokens?: number;
  readonly audioInputTokens: number;
  readonly imageInputTokens?: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly audioOutputTokens: number;
  /** Of pictures, still or moving. */
  readonly imageOutputTokens?: number;
  /** Pictures made. */
  readonly images?: number;
  /** Of audio or video, made or heard. */
  readonly durationMs?: number;
  /** Of text spoken. */
  readonly characters?: number;
  /** That a vendor charges by use: rankings, and looks into the web. */
  readonly searches?: number;
  /** The kind of result, where a price tells kinds apart: `4K`, `high 1024x1536`. */
  readonly grade?: string;
  /** How it was served, as far as the upstream says. */
  readonly served?: ServedAs;
  /** The model that answered, if its vendor may answer with another than the one that was called. */
  readonly servedBy?: string;
  /** The same tokens step by step, if the vendor charges steps by themselves: together they are all tokens of the call. */
  readonly steps?: readonly UsageStep[];
  /** Counted here, because the upstream did not say or said something impossible. */
  readonly isEstimated: boolean;
}

/** A sampling, compaction or advice within a call. */
export interface UsageStep {
  /** Absent for the model that answers. */
  readonly model?: string;
  readonly usage: Usage;
}

/** What is not counted in tokens. */
export type Units = Pick<Usage, UnitName | "grade">;

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  audioInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioOutputTokens: 0,
  isEstimated: false,
};

/** No vendor serves a call anywhere near this many tokens; a larger count is a mistake. */
const MAX_TOKENS = 100_000_000;
const MAX_GRADE_CHARS = 100;

const UNIT_NAMES = ["images", "durationMs", "characters", "searches"] as const;
type UnitName = (typeof UNIT_NAMES)[number];

/** The same of other units. */
const MAX_UNITS: Readonly<Record<UnitName, number>> = {
  images: 10_000,
  durationMs: 7 * 24 * 3_600_000,
  characters: 100_000_000,
  searches: 100_000,
};

/** A usage from parts an upstream reported: wrong types, negative and absurd counts are refused. */
export function usageOf(
  parts: Partial<Record<keyof Omit<Usage, "isEstimated" | NotCounted>, unknown>>,
): Usage | undefined {
  const inputTokens = count(parts.inputTokens);
  const outputTokens = count(parts.outputTokens);
  const units = unitsOf(parts);
  if (inputTokens === undefined || outputTokens === undefined || units === undefined)
    return undefined;

  const cachedInputTokens = Math.min(count(parts.cachedInputTokens) ?? 0, inputTokens);
  const cacheWriteTokens = Math.min(
    count(parts.cacheWriteTokens) ?? 0,
    inputTokens - cachedInputTokens,
  );
  const longCacheWriteTokens = Math.min(count(parts.longCacheWriteTokens) ?? 0, cacheWriteTokens);
  // Of sound and pictures in a cache nobody says how many they are: what came from it counts as cached, and once.
  const uncached = inputTokens - cachedInputTokens - cacheWriteTokens;
  const audioInputTokens = Math.min(count(parts.audioInputTokens) ?? 0, uncached);
  const audioOutputTokens = Math.min(count(parts.audioOutputTokens) ?? 0, outputTokens);
  const imageInputTokens = Math.min(
    count(parts.imageInputTokens) ?? 0,
    uncached - audioInputTokens,
  );
  const imageOutputTokens = Math.min(
    count(parts.imageOutputTokens) ?? 0,
    outputTokens - audioOutputTokens,
  );
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    ...(longCacheWriteTokens > 0 ? { longCacheWriteTokens } : {}),
    audioInputTokens,
    ...(imageInputTokens > 0 ? { imageInputTokens } : {}),
    outputTokens,
    reasoningTokens: Math.min(count(parts.reasoningTokens) ?? 0, outputTokens),
    audioOutputTokens,
    ...(imageOutputTokens > 0 ? { imageOutputTokens } : {}),
    ...units,
    isEstimated: false,
  };
}

/** Two usages as one, of one grade where they agree on it. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sums = Object.keys(COUNTED).flatMap((name) => {
    if (!isCount(name) || (one[name] ?? other[name]) === undefined) return [];
    return [[name, (one[name] ?? 0) + (other[name] ?? 0)] as const];
  });
  const served = one.served ?? other.served;
  const { servedBy } = one;
  return {
    ...NO_USAGE,
    ...Object.fromEntries(sums),
    ...(one.grade !== undefined && one.grade === other.grade ? { grade: one.grade } : {}),
    ...(served === undefined ? {} : { served }),
    ...(servedBy === undefined || servedBy !== other.servedBy ? {} : { servedBy }),
    ...(one.steps === undefined && other.steps === undefined
      ? {}
      : { steps: [...stepsOf(one), ...stepsOf(other)] }),
    isEstimated: one.isEstimated || other.isEstimated,
  };
}

function stepsOf(usage: Usage): readonly UsageStep[] {
  return usage.steps ?? [{ usage }];
}

/** Steps that one call may be told of; the rest is charged as one. */
const MAX_STEPS = 256;

/** A usage that is the sum of its steps; `whole`: what is only told for the call. */
export function usageOfSteps(steps: readonly UsageStep[], whole: Partial<Usage>): Usage {
  const rest = steps.slice(MAX_STEPS - 1);
  const last = rest.length > 1 ? [{ usage: sumOf(rest) }] : rest;
  return { ...sumOf(steps), ...whole, steps: [...steps.slice(0, MAX_STEPS - 1), ...last] };
}

function sumOf(steps: readonly UsageStep[]): Usage {
  return steps.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}

/** A usage with how it was served, in a vendor's words; the usage itself if nothing is said. */
export function withServed(usage: Usage, said: Partial<Record<keyof ServedAs, unknown>>): Usage {
  const served = servedAs(said);
  return served === undefined ? usage : { ...usage, served };
}

/** A usage with how often the vendor searched; the usage itself if it did not, or says it already. */
export function withSearches(usage: Usage, count: number): Usage {
  const searches = fitsIn(count, MAX_UNITS.searches);
  return searches > (usage.searches ?? 0) ? { ...usage, searches } : usage;
}

/** In the words of prices; undefined if nothing is said. */
export function servedAs(said: Partial<Record<keyof ServedAs, unknown>>): ServedAs | undefined {
  const serviceTier = serviceTierOf(said.serviceTier);
  const speed = wordOf(said.speed);
  const region = wordOf(said.region);
  if (serviceTier === undefined && speed === undefined && region === undefined) return undefined;
  return defined({ serviceTier, speed, region });
}

type CountName = keyof Omit<Usage, "isEstimated" | "grade" | NotCounted>;
type NotCounted = "served" | "servedBy" | "steps";

/** A record, so that a new count cannot be forgotten. */
const COUNTED = {
  inputTokens: true,
  cachedInputTokens: true,
  cacheWriteTokens: true,
  longCacheWriteTokens: true,
  audioInputTokens: true,
  imageInputTokens: true,
  outputTokens: true,
  reasoningTokens: true,
  audioOutputTokens: true,
  imageOutputTokens: true,
  images: true,
  durationMs: true,
  characters: true,
  searches: true,
} as const satisfies Readonly<Record<CountName, true>>;

function isCount(name: string): name is CountName {
  return Object.hasOwn(COUNTED, name);
}

/** Units are said or not said; undefined where one of them cannot be true. */
function unitsOf(parts: Readonly<Record<string, unknown>>): Units | undefined {
  const units: { -readonly [Name in keyof Units]: Units[Name] } = {};
  for (const name of UNIT_NAMES) {
    const given = parts[name] ?? 0;
    const said = count(given, MAX_UNITS[name]);
    if (said === undefined) return undefined;
    if (said > 0) units[name] = said;
  }
  const { grade } = parts;
  if (typeof grade === "string" && isGrade(grade)) units.grade = grade;
  return units;
}

/** What may name a kind of result. */
export function isGrade(text: string): boolean {
  return text.trim() !== "" && text.length <= MAX_GRADE_CHARS;
}

/** A count of our own, as one that is kept may be: whole, and within the limit. */
export function fitsIn(tokens: number, most: number = MAX_TOKENS): number {
  return Math.min(Math.max(0, Math.ceil(tokens)), most);
}

/** The same of units. */
export function fitUnits(units: Units): Units {
  const fitting: { -readonly [Name in keyof Units]: Units[Name] } = { ...units };
  for (const name of UNIT_NAMES) {
    const { [name]: given } = units;
    if (given !== undefined) fitting[name] = fitsIn(given, MAX_UNITS[name]);
  }
  return fitting;
}

function count(value: unknown, most: number = MAX_TOKENS): number | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= most ? value : undefined;
}
