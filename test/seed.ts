/** The seed of this run: printed by the runner, replayed through SLUICE_TEST_SEED. */
export const SEED = Number(process.env["SLUICE_TEST_SEED"] ?? 20_261_120);

/** Whether the long forms run: kills, cycles and races by the hundred. */
export const IS_LONG = process.env["SLUICE_TEST_LONG"] === "1";

/** How often: the long form's count, or the short one's. */
export function times(short: number, long: number): number {
  return IS_LONG ? long : short;
}

/** A small seeded generator (mulberry32): the same numbers for the same seed. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
