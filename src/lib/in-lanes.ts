import { Semaphore } from "./semaphore.ts";
import { withinTime } from "./within-time.ts";

/** Things to be done that come in lanes. */
export interface Errands<T> {
  /** Some of those that are due, at most so many, for nobody else to take. */
  take(most: number): Promise<readonly T[]>;
  laneOf(errand: T): string;
  run(errand: T): Promise<void>;
  /** It is not begun: there is no room in its lane, or no time left. */
  putOff(errand: T, isCrowded: boolean): Promise<void>;
}

export interface LaneBounds {
  /** Taken at a time. */
  readonly batch: number;
  /** Under way and waiting, in all lanes together. */
  readonly most: number;
  readonly atOnceInOne: number;
  readonly waitingInOne: number;
}

const LOOK_MS = 1_000;

/** Runs what is due, until nothing is. What takes its time delays its own lane, and no other. */
export async function inLanes<T>(
  errands: Errands<T>,
  bounds: LaneBounds,
  signal: AbortSignal,
): Promise<void> {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  let trouble: unknown;
  const begin = (errand: T): void => {
    const name = errands.laneOf(errand);
    const lane = lanes.get(name) ?? new Lane(bounds.atOnceInOne, bounds.waitingInOne);
    lanes.set(name, lane);
    lane.size++;
    const running = runInTurn(errand, lane, errands, signal)
      .catch((cause: unknown) => {
        trouble ??= cause;
      })
      .finally(() => {
        underWay.delete(running);
        if (--lane.size === 0) lanes.delete(name);
      });
    underWay.add(running);
  };
  try {
    while (trouble === undefined) {
      const room = signal.aborted ? 0 : Math.min(bounds.batch, bounds.most - underWay.size);
      const due = room > 0 ? await errands.take(room) : [];
      for (const errand of due) begin(errand);
      if (underWay.size === 0) return;
      await withinTime(Promise.race(underWay), LOOK_MS);
    }
  } finally {
    await Promise.all(underWay);
  }
  throw trouble;
}

/** What is under way, and what waits for that. */
class Lane extends Semaphore {
  size = 0;
}

async function runInTurn<T>(
  errand: T,
  lane: Lane,
  errands: Errands<T>,
  signal: AbortSignal,
): Promise<void> {
  using place = await lane.enter();
  if (place !== undefined && !signal.aborted) return await errands.run(errand);
  await errands.putOff(errand, place === undefined);
}
