/**
 * Unix time in ms, of a number whose unit is not said: seconds, or milli-,
 * micro- or nanoseconds. Undefined if it is no time after 1970.
 */
export function unixMs(time: number): number | undefined {
  if (!Number.isFinite(time) || time <= 0) return undefined;
  if (time < MAX_SECONDS) return Math.floor(time * 1_000);
  let ms = time;
  // Of the present, each finer unit is a thousand times as much.
  while (ms >= MAX_SECONDS * 1_000) ms /= 1_000;
  return Math.floor(ms);
}

/** In the year 5138; as milliseconds, in 1973. */
const MAX_SECONDS = 1e11;
