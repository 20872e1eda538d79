const PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** Looks again and again until it is so; fails loudly when it never is. */
export async function waitFor(
  isSo: () => boolean | Promise<boolean>,
  withinMs = 30_000,
): Promise<void> {
  const began = performance.now();
  for (;;) {
    const look = isSo();
    if (await look) return;
    const waitedMs = performance.now() - began;
    if (waitedMs > withinMs) throw new Error(`It was not so within ${withinMs} ms.`);
    // A look that has to wait is often a call, and hundreds of them cost more than the test.
    const pauseMs = typeof look === "boolean" ? PAUSE_MS : waitedMs / 10;
    await Bun.sleep(Math.min(Math.max(pauseMs, PAUSE_MS), LONGEST_PAUSE_MS));
  }
}

const LOOK_MS = 100;
/** Less may be a crowded machine catching its breath. */
const LOOKS_AT_REST = 5;

/** A number that grows, once it is above zero and does so no more. */
export async function whenItRests(look: () => number, withinMs = 30_000): Promise<number> {
  let last = 0;
  let atRest = 0;
  await waitFor(async () => {
    await Bun.sleep(LOOK_MS);
    const now = look();
    atRest = now === last && now > 0 ? atRest + 1 : 0;
    last = now;
    return atRest >= LOOKS_AT_REST;
  }, withinMs);
  return last;
}
