/** Lets one at a time through, in the order they came. */
interface Lane {
  /** Resolves to the function that lets the next one through. */
  enter(): Promise<() => void>;
}

export function createLane(): Lane {
  let tail = Promise.resolve();
  return {
    async enter() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = tail;
      tail = promise;
      await before;
      return resolve;
    },
  };
}
