/** Undefined where it takes too long; it goes on all the same. */
export async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: patience, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([promise, patience]);
  } finally {
    clearTimeout(timer);
  }
}
