/** Like `Promise.all` over a map, in the items' order, with at most so many under way at once. */
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
      if (item !== undefined) results[at] = await map(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}
