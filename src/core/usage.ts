import { defined } from "#lib/values.ts";
import { serviceTierOf, wordOf, type ServedAs } from "./price-condition.ts";

/**
 * The usage of one call. `inputTokens` and `outputTokens` are totals; the other
 * token counts are parts of them, independent of the vendor's notation. Other
 * units are counted separately and default to 0.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /**
   * The part of `cacheWriteTokens` with a long lifetime, if the vendor has a
   * separate price for it.
   */
  readonly longCacheWriteTokens?: number;
  readonly audioInputTokens: number;
  readonly imageInputTokens?: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly audioOutputTokens: number;
  /** Output tokens of images or video. */
  readonly imageOutputTokens?: number;
  /** Number of generated images. */
  readonly images?: number;
  /**
   * Number of given images that the vendor charges, frames included. Vendors
   * that charge them as tokens count them in `imageInputTokens` instead.
   */
  readonly referenceImages?: number;
  /** Length of audio or video, generated or processed. */
  readonly durationMs?: number;
  /** Characters of text for speech synthesis. */
  readonly characters?: number;
  /** Number of searches that the vendor charges: rerank requests and web searches. */
  readonly searches?: number;
  /** The kind of result, if the price distinguishes kinds: `4K`, `high 1024x1536`. */
  readonly grade?: string;
  /** The service tier, speed and region, as far as the upstream reports them. */
  readonly served?: ServedAs;
  /** The model that answered, if the vendor may use another model than the one that was called. */
  readonly servedBy?: string;
  /**
   * The same tokens per step, if the vendor charges steps separately. Their sum
   * is the total of the call.
   */
  readonly steps?: readonly UsageStep[];
  /** Counted by the gateway, because the upstream reported no usage or an impossible one. */
  readonly isEstimated: boolean;
}

/** A sampling, compaction or advisor step within a call. */
export interface UsageStep {
  /** Absent for the model that answers. */
  readonly model?: string;
  readonly usage: Usage;
}

/** Units other than tokens. */
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

/** No vendor serves a call of this many tokens; a larger count is an error. */
const MAX_TOKENS = 100_000_000;
const MAX_GRADE_CHARS = 100;

const UNIT_NAMES = ["images", "referenceImages", "durationMs", "characters", "searches"] as const;
type UnitName = (typeof UNIT_NAMES)[number];

/** The same maximum for other units. */
const MAX_UNITS: Readonly<Record<UnitName, number>> = {
  images: 10_000,
  referenceImages: 10_000,
  durationMs: 7 * 24 * 3_600_000,
  characters: 100_000_000,
  searches: 100_000,
};

/**
 * Builds a usage from the parts that an upstream reported. Refuses wrong types
 * and negative or absurd counts.
 */
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
  // Vendors do not report how many cached tokens are audio or images. Cached
  // tokens therefore count only as cached.
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
  const plain = {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    audioInputTokens,
    outputTokens,
    reasoningTokens: Math.min(count(parts.reasoningTokens) ?? 0, outputTokens),
    audioOutputTokens,
    isEstimated: false,
  };
  const isPlain = longCacheWriteTokens + imageInputTokens + imageOutputTokens === 0;
  if (isPlain && units === NO_UNITS) return plain;
  return {
    ...plain,
    ...(longCacheWriteTokens > 0 ? { longCacheWriteTokens } : {}),
    ...(imageInputTokens > 0 ? { imageInputTokens } : {}),
    ...(imageOutputTokens > 0 ? { imageOutputTokens } : {}),
    ...units,
  };
}

/** The sum of two usages. The grade is kept if both have the same one. */
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

/** Maximum number of steps of one call; further steps are merged into one. */
const MAX_STEPS = 256;

/** A usage that is the sum of its steps. `whole`: counts that are only reported for the call. */
export function usageOfSteps(steps: readonly UsageStep[], whole: Partial<Usage>): Usage {
  const rest = steps.slice(MAX_STEPS - 1);
  const last = rest.length > 1 ? [{ usage: sumOf(rest) }] : rest;
  return { ...sumOf(steps), ...whole, steps: [...steps.slice(0, MAX_STEPS - 1), ...last] };
}

function sumOf(steps: readonly UsageStep[]): Usage {
  return steps.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}

/**
 * Adds the service tier, speed and region in the vendor's terms; returns the
 * usage itself if none is reported.
 */
export function withServed(usage: Usage, said: Partial<Record<keyof ServedAs, unknown>>): Usage {
  const served = servedAs(said);
  return served === undefined ? usage : { ...usage, served };
}

/**
 * Adds the number of the vendor's searches; returns the usage itself if there
 * were none or they are already included.
 */
export function withSearches(usage: Usage, count: number): Usage {
  const searches = clampCount(count, MAX_UNITS.searches);
  return searches > (usage.searches ?? 0) ? { ...usage, searches } : usage;
}

/** In the terms of prices; undefined if the vendor reports none. */
export function servedAs(said: Partial<Record<keyof ServedAs, unknown>>): ServedAs | undefined {
  const serviceTier = serviceTierOf(said.serviceTier);
  const speed = wordOf(said.speed);
  const region = wordOf(said.region);
  if (serviceTier === undefined && speed === undefined && region === undefined) return undefined;
  return defined({ serviceTier, speed, region });
}

export type CountName = keyof Omit<Usage, "isEstimated" | "grade" | NotCounted>;
type NotCounted = "served" | "servedBy" | "steps";

/** A record, so that the compiler finds a missing count. */
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
  referenceImages: true,
  durationMs: true,
  characters: true,
  searches: true,
} as const satisfies Readonly<Record<CountName, true>>;

export function isCount(name: string): name is CountName {
  return Object.hasOwn(COUNTED, name);
}

/** Units are optional; undefined if one of them has an impossible value. */
function unitsOf(parts: Readonly<Record<string, unknown>>): Units | undefined {
  let units: { -readonly [Name in keyof Units]: Units[Name] } | undefined;
  for (const name of UNIT_NAMES) {
    const given = parts[name] ?? 0;
    const said = count(given, MAX_UNITS[name]);
    if (said === undefined) return undefined;
    if (said > 0) (units ??= {})[name] = said;
  }
  const { grade } = parts;
  if (typeof grade === "string" && isGrade(grade)) (units ??= {}).grade = grade;
  return units ?? NO_UNITS;
}

const NO_UNITS: Units = {};

/** True if a text is a valid name for a kind of result. */
export function isGrade(text: string): boolean {
  return text.trim() !== "" && text.length <= MAX_GRADE_CHARS;
}

/** Makes our own count storable: a whole number within the limit. */
export function clampCount(tokens: number, most: number = MAX_TOKENS): number {
  return Math.min(Math.max(0, Math.ceil(tokens)), most);
}

/** Whether anything but tokens is counted. */
export function hasUnits(units: Units): boolean {
  for (const name of UNIT_NAMES) if (units[name] !== undefined) return true;
  return false;
}

/** The same for other units. */
export function fitUnits(units: Units): Units {
  const fitting: { -readonly [Name in keyof Units]: Units[Name] } = { ...units };
  for (const name of UNIT_NAMES) {
    const { [name]: given } = units;
    if (given !== undefined) fitting[name] = clampCount(given, MAX_UNITS[name]);
  }
  return fitting;
}

function count(value: unknown, most: number = MAX_TOKENS): number | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= most ? value : undefined;
}
