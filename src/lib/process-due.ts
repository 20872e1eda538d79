import { withinTime } from "./within-time.ts";

/** Due work that depends on slow external services. */
export interface Work<T> {
  /** Leases at most `room` due items that are not leased. */
  lease(room: number, underWay: readonly T[]): Promise<readonly T[]>;
  /** Never throws. */
  act(one: T): Promise<void>;
  /** Maximum number of items per lease. */
  readonly batch: number;
  /** Maximum number of concurrent items. */
  readonly most: number;
}

const POLL_MS = 1_000;

/**
 * Processes due items until none is left. A slow item delays only the items
 * that `lease` holds back because of it.
 */
export async function processDue<T>(
  { lease, act, batch, most }: Work<T>,
  signal: AbortSignal,
): Promise<void> {
  const underWay = new Map<T, Promise<void>>();
  try {
    for (;;) {
      const before = [...underWay.keys()];
      const room = signal.aborted ? 0 : Math.min(batch, most - before.length);
      const due = room > 0 ? await lease(room, before) : [];
      for (const one of due) {
        const doing = act(one).finally(() => underWay.delete(one));
        underWay.set(one, doing);
      }
      // Items that were held back because of running ones may still be due.
      if (due.length === 0 && before.length === 0) return;
      const isBusy = due.length === 0 && underWay.size > 0;
      if (isBusy) await withinTime(Promise.race(underWay.values()), POLL_MS);
    }
  } finally {
    await Promise.all(underWay.values());
  }
}

/** The values that occur at least `times` times. */
export function repeatedValues<T>(all: readonly T[], times: number): readonly T[] {
  const counts = new Map<T, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= times).map(([each]) => each);
}
