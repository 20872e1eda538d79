/** Undefined if the promise takes too long; its work is not cancelled. */
export async function withinTime<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: patience, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, ms, undefined);
  try {
    return await Promise.race([promise, patience]);
  } finally {
    clearTimeout(timer);
  }
}
