import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** The amount that is read or written in half a millisecond. */
export const LARGE_BYTES = 256 * 1024;

/** The amount to process in one step, and the pause for other work after each step. */
interface Pace {
  readonly burstBytes: number;
  readonly pauseMs: number;
}

/**
 * Yielding alone is not enough: a response needs several turns, and other
 * processes need the processor too.
 */
const PACE_FOR_FEW: Pace = { burstBytes: 1024 * 1024, pauseMs: 3 };
/**
 * If several large jobs wait for each other, they are slow already and must not
 * slow down other work.
 */
const PACE_FOR_MANY: Pace = { burstBytes: LARGE_BYTES, pauseMs: 4 };
const MANY_WAITING = 3;
/** Work that ended longer ago no longer delays others. */
const FORGOTTEN_MS = 50;

/** The scheduler's inputs: the time in milliseconds, and two ways to yield. */
interface YieldSettings {
  now(): number;
  turn(): Promise<unknown>;
  pause(ms: number): Promise<unknown>;
}

export interface LargeStepScheduler {
  /**
   * Call this before a step over large data: other waiting work runs first, and
   * only one large step runs at a time. A step over twenty megabytes takes
   * about as many milliseconds, so split the work if possible.
   */
  yieldToEventLoop(sizeBytes: number): Promise<void>;
  /** Reports small work: large steps then leave time for it for a while. */
  noteOtherWork(): void;
}

/** The process has one event loop, so all large steps share one queue. */
export const { yieldToEventLoop, noteOtherWork } = createLargeStepScheduler({
  now: () => performance.now(),
  turn: () => nextTurn(),
  pause: (ms) => sleep(ms),
});

export function createLargeStepScheduler(passing: YieldSettings): LargeStepScheduler {
  let line: Promise<void> = Promise.resolve();
  let waiting = 0;
  let goneOverBytes = 0;
  let lastAt = -Infinity;

  // The number of other jobs so far, the number known at the last step, and the
  // time of the last new one.
  let others = 0;
  let othersKnown = 0;
  let otherSeenAt = -Infinity;

  async function pass(sizeBytes: number): Promise<void> {
    const { burstBytes, pauseMs } = waiting >= MANY_WAITING ? PACE_FOR_MANY : PACE_FOR_FEW;
    const now = passing.now();
    if (now - lastAt > FORGOTTEN_MS) goneOverBytes = 0;
    lastAt = now;
    goneOverBytes += sizeBytes;
    if (goneOverBytes < burstBytes || !othersAreHere(now)) {
      await passing.turn();
    } else {
      goneOverBytes = 0;
      await passing.pause(pauseMs);
    }
    waiting--;
  }

  function othersAreHere(now: number): boolean {
    if (others !== othersKnown) otherSeenAt = now;
    othersKnown = others;
    return now - otherSeenAt <= FORGOTTEN_MS;
  }

  return {
    async yieldToEventLoop(sizeBytes) {
      if (sizeBytes < LARGE_BYTES) return;
      waiting++;
      line = line.then(() => pass(sizeBytes));
      await line;
    },
    noteOtherWork() {
      others++;
    },
  };
}
