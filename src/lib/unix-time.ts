/**
 * Unix ms from a number of unknown unit: seconds, milli-, micro- or
 * nanoseconds. Undefined if it is not a time after 1970.
 */
export function unixMs(time: number): number | undefined {
  if (!Number.isFinite(time) || time <= 0) return undefined;
  if (time < MAX_SECONDS) return Math.floor(time * 1_000);
  let ms = time;
  // For present times, each finer unit is a thousand times larger.
  while (ms >= MAX_SECONDS * 1_000) ms /= 1_000;
  return Math.floor(ms);
}

/** In seconds the year 5138; in milliseconds 1973. */
const MAX_SECONDS = 1e11;
