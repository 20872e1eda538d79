/** Pushes items to a consumer; a promise from the consumer pauses it. */
type Pump<T> = (take: (piece: T) => void | Promise<void>) => Promise<void>;

/** Converts a push source to an async generator, which the reader pulls at its own pace. */
export async function* pull<T>(pump: Pump<T>): AsyncGenerator<T> {
  let came = Promise.withResolvers<T | undefined>();
  let taken = Promise.withResolvers<void>();
  const pumping = pump((piece) => {
    came.resolve(piece);
    return taken.promise;
  }).then(() => came.resolve(undefined));
  pumping.catch((cause: unknown) => came.reject(cause));

  for (;;) {
    const piece = await came.promise;
    if (piece === undefined) return;
    yield piece;
    came = Promise.withResolvers();
    // An error between two reads is thrown by the next read.
    pumping.catch((cause: unknown) => came.reject(cause));
    const { resolve } = taken;
    taken = Promise.withResolvers();
    resolve();
  }
}
