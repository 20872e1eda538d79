import { addMonths, monthsBetween, type TimeSpan } from "#core/previous-period.ts";
import type { UsageDimension, UsageGroup, UsageReport, UsageSum } from "#core/usage-report.ts";

/** A group of a report beside the same group of the period before. */
export interface ComparedGroup extends UsageGroup {
  /** Undefined if it had no calls then. */
  readonly previous?: UsageSum | undefined;
}

/**
 * Adds to each group its usage of the period before. Times are matched by their distance from the
 * start. Groups that only the period before has follow with empty sums, unless only the dearest are
 * wanted.
 */
export function compareGroups(
  report: UsageReport,
  before: UsageReport,
  periods: { readonly now: TimeSpan; readonly before: TimeSpan },
  isLimited: boolean,
): readonly ComparedGroup[] {
  const previous = new Map<string, UsageGroup>();
  for (const { of, sum } of before.groups) {
    const moved = movedBy(of, periods);
    previous.set(nameOf(moved), { of: moved, sum });
  }
  const compared = report.groups.map((group) => {
    const name = nameOf(group.of);
    const match = previous.get(name);
    previous.delete(name);
    return { ...group, previous: match?.sum };
  });
  if (isLimited) return compared;
  const gone = [...previous.values()].map(({ of, sum }) => ({
    of,
    sum: EMPTY_SUM,
    previous: sum,
  }));
  return [...compared, ...gone];
}

function nameOf(of: UsageGroup["of"]): string {
  return JSON.stringify(Object.entries(of));
}

const TIMES: readonly UsageDimension[] = ["hour", "day", "month"];

/** The same place in the later period. */
function movedBy(
  of: UsageGroup["of"],
  { now, before }: { readonly now: TimeSpan; readonly before: TimeSpan },
): UsageGroup["of"] {
  const moved = { ...of };
  for (const each of TIMES) {
    const at = of[each];
    if (typeof at !== "number") continue;
    moved[each] =
      each === "month"
        ? addMonths(now.from, monthsBetween(before.from, at + 1) - 1)
        : at - before.from + now.from;
  }
  return moved;
}

export const EMPTY_SUM: UsageSum = {
  calls: 0,
  failedCalls: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  audioInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioOutputTokens: 0,
  cost: 0,
  imageInputTokens: 0,
  imageOutputTokens: 0,
  images: 0,
  durationMs: 0,
  characters: 0,
  searches: 0,
  referenceImages: 0,
};
