/** As much as is read or written in a few milliseconds. */
const LARGE_BYTES = 1024 * 1024;

/**
 * Between two steps over something large: whoever else waits has a turn. Each
 * step over twenty megabytes takes about as many milliseconds.
 */
export async function letOthersPass(sizeBytes: number): Promise<void> {
  if (sizeBytes < LARGE_BYTES) return;
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
