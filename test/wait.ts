/** Looks again and again until it is so; fails loudly when it never is. */
export async function waitFor(
  isSo: () => boolean | Promise<boolean>,
  withinMs = 10_000,
): Promise<void> {
  const until = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > until) throw new Error(`It was not so within ${withinMs} ms.`);
    await Bun.sleep(5);
  }
}
