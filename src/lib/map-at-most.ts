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
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at];
      try {
        if (item !== undefined) results[at] = await map(item);
      } catch (cause) {
        next = items.length;
        throw cause;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
