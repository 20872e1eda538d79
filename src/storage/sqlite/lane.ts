/** A fair mutex: waiters enter in their order of arrival. */
interface Lane {
  /** Resolves to the release function. */
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
