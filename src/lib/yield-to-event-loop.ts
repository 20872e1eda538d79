import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** As much as is read or written in half a millisecond. */
export const LARGE_BYTES = 256 * 1024;

/** As much as is gone over in one go, with a turn for others after each step, and how long they then have. */
interface Pace {
  readonly burstBytes: number;
  readonly pauseMs: number;
}

/** Turns alone would not do: an answer takes several, and others need the processor, too. */
const PACE_FOR_FEW: Pace = { burstBytes: 1024 * 1024, pauseMs: 3 };
/** Where large ones wait for each other already, they are slow, and others must not be. */
const PACE_FOR_MANY: Pace = { burstBytes: LARGE_BYTES, pauseMs: 4 };
const MANY_WAITING = 3;
/** What was gone over longer ago keeps nobody from anything, and who came longer ago was served. */
const FORGOTTEN_MS = 50;

/** What a line of large steps goes by: the time in milliseconds, and two ways to leave some of it to others. */
interface YieldSettings {
  now(): number;
  turn(): Promise<unknown>;
  pause(ms: number): Promise<unknown>;
}

export interface LargeStepScheduler {
  /**
   * Before a step over something large: whoever else waits is served first, and
   * of all large steps only one is taken at a time. One over twenty megabytes
   * takes about as many milliseconds, so what can be is gone over in pieces.
   */
  yieldToEventLoop(sizeBytes: number): Promise<void>;
  /** Somebody asks for something small: large steps leave time for that from now on, for a while. */
  noteOtherWork(): void;
}

/** The process has one loop, and all that is large in it stands in one line. */
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

  // How many others ever came, how many of them the last step knew of, and when it saw a new one.
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
