/** Hands pieces to a taker as they come up; a promise from the taker holds them back. */
type Pump<T> = (take: (piece: T) => void | Promise<void>) => Promise<void>;

/** The other way round: pieces that are asked for one by one, at the reader's pace. */
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
    // A failure in between belongs to the next one who asks.
    pumping.catch((cause: unknown) => came.reject(cause));
    const { resolve } = taken;
    taken = Promise.withResolvers();
    resolve();
  }
}
