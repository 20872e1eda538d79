import { withinTime } from "./within-time.ts";

/** Things to be done that take as long as others make them take. */
export interface Work<T> {
  /** Some that are due and in nobody's hands, at most so many. */
  lease(room: number, underWay: readonly T[]): Promise<readonly T[]>;
  /** Never throws. */
  act(one: T): Promise<void>;
  /** Leased in one go. */
  readonly batch: number;
  /** Under way at once. */
  readonly most: number;
}

const LOOK_MS = 1_000;

/** Does what is due, until nothing is. What takes its time delays only what `lease` leaves for later because of it. */
export async function workOff<T>(
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
      // What was left for later because of what was under way may be due still.
      if (due.length === 0 && before.length === 0) return;
      const isBusy = due.length === 0 && underWay.size > 0;
      if (isBusy) await withinTime(Promise.race(underWay.values()), LOOK_MS);
    }
  } finally {
    await Promise.all(underWay.values());
  }
}

/** Those that are among them so often. */
export function oftenAmong<T>(all: readonly T[], times: number): readonly T[] {
  const counts = new Map<T, number>();
  for (const each of all) counts.set(each, (counts.get(each) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= times).map(([each]) => each);
}
