import { setTimeout as sleep } from "node:timers/promises";

/** As much as is read or written in half a millisecond. */
export const LARGE_BYTES = 256 * 1024;

/**
 * A turn of the loop alone would not do: an answer takes several of them, and
 * others need the processor, too. A body of twenty megabytes takes half a
 * second more, which is little beside what is asked for with it.
 */
const PAUSE_MS = 3;

let line: Promise<void> = Promise.resolve();

/**
 * Before a step over something large: whoever else waits is served first, and
 * of all large steps only one is taken at a time. One over twenty megabytes
 * takes about as many milliseconds, so what can be is gone over in pieces.
 */
export async function letOthersPass(sizeBytes: number): Promise<void> {
  if (sizeBytes < LARGE_BYTES) return;
  line = line.then(() => sleep(PAUSE_MS));
  await line;
}
