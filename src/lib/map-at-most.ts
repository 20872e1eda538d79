/**
 * Like `Promise.all` over a map, in the items' order, with at most `atOnce`
 * concurrent calls. After an error no further call starts.
 */
export async function mapAtMost<T, R>(
  items: readonly T[],
  atOnce: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  /** Shared by all workers. */
  const entries = items.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [at, item] of entries) {
      if (hasFailed) return;
      try {
        results[at] = await map(item);
      } catch (cause) {
        hasFailed = true;
        throw cause;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
