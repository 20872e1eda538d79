import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** As much as is read or written in half a millisecond. */
export const LARGE_BYTES = 256 * 1024;

/** As much as is gone over in one go, with a turn for others after each step. */
const BURST_BYTES = 1024 * 1024;
/** Then turns alone would not do: an answer takes several, and others need the processor, too. */
const PAUSE_MS = 3;
/** What was gone over longer ago keeps nobody from anything. */
const FORGOTTEN_MS = 50;

let line: Promise<void> = Promise.resolve();
let goneOverBytes = 0;
let lastAt = -Infinity;

/**
 * Before a step over something large: whoever else waits is served first, and
 * of all large steps only one is taken at a time. One over twenty megabytes
 * takes about as many milliseconds, so what can be is gone over in pieces.
 */
export async function letOthersPass(sizeBytes: number): Promise<void> {
  if (sizeBytes < LARGE_BYTES) return;
  line = line.then(() => pass(sizeBytes));
  await line;
}

async function pass(sizeBytes: number): Promise<void> {
  const now = performance.now();
  if (now - lastAt > FORGOTTEN_MS) goneOverBytes = 0;
  lastAt = now;
  goneOverBytes += sizeBytes;
  if (goneOverBytes < BURST_BYTES) {
    await nextTurn();
  } else {
    goneOverBytes = 0;
    await sleep(PAUSE_MS);
  }
}
