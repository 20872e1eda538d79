/** Time as a dependency, so that tests can control it. */
export interface Clock {
  /** Wall clock, ms since 1970 UTC: for records and display. */
  now(): number;
  /** Never goes back: for durations and deadlines, in ms. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
