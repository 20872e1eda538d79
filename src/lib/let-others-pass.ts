/** As much as is read or written in half a millisecond. */
export const LARGE_BYTES = 256 * 1024;

let line: Promise<void> = Promise.resolve();

/**
 * Before a step over something large: whoever else waits has a turn, and of
 * all large steps only one is taken in each turn. One over twenty megabytes
 * takes about as many milliseconds, so what can be is gone over in pieces.
 */
export async function letOthersPass(sizeBytes: number): Promise<void> {
  if (sizeBytes < LARGE_BYTES) return;
  line = line.then(nextTurn);
  await line;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
