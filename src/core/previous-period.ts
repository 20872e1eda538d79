/** Unix ms; `to` is exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/**
 * The period before this one: months before months, also before a month that has not ended, and
 * otherwise the same length.
 */
export function previousPeriod({ from, to }: TimeSpan): TimeSpan {
  if (from !== addMonths(from, 0)) return { from: from - (to - from), to: from };
  const months = monthsBetween(from, to);
  const start = addMonths(from, -months);
  const isWhole = to === addMonths(to, 0);
  return { from: start, to: isWhole ? from : Math.min(start + (to - from), from) };
}

/** The start of the month that is `count` months after the one of `at`, in UTC. */
export function addMonths(at: number, count: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count);
}

/** Months that the span touches, if it begins with one. */
export function monthsBetween(from: number, to: number): number {
  const [first, last] = [new Date(from), new Date(to - 1)];
  const years = last.getUTCFullYear() - first.getUTCFullYear();
  return years * 12 + last.getUTCMonth() - first.getUTCMonth() + 1;
}
