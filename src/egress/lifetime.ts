import { GatewayError } from "#core/error.ts";

/** The lifetime of a fetch and its resources: one signal covers every way it can end. */
export interface Lifetime {
  /** Aborted by the caller, by any time limit, and at the end. */
  readonly signal: AbortSignal;
  /** The result of `work`, unless the fetch ends first; after the limit it throws `late`. */
  readonly within: <T>(limitMs: number, late: () => GatewayError, work: Promise<T>) => Promise<T>;
  /** Releases everything. */
  readonly end: () => void;
}

export function openLifetime(
  totalTimeoutMs: number | undefined,
  outer: AbortSignal | undefined,
): Lifetime {
  const stop = new AbortController();
  const { signal } = stop;
  const timer =
    totalTimeoutMs === undefined
      ? undefined
      : setTimeout(() => stop.abort(timedOut("total")), totalTimeoutMs);
  const leave = () => stop.abort(canceled(outer?.reason));
  outer?.addEventListener("abort", leave, { once: true });
  if (outer?.aborted === true) leave();

  return {
    signal,
    within: async (limitMs, late, work) => {
      // One promise per phase: a single one would keep every race in memory until the last byte.
      const stopped = Promise.withResolvers<never>();
      const onStop = () => stopped.reject(signal.reason);
      signal.addEventListener("abort", onStop, { once: true });
      if (signal.aborted) onStop();
      const limit = setTimeout(() => stop.abort(late()), limitMs);
      try {
        return await Promise.race([stopped.promise, work]);
      } finally {
        clearTimeout(limit);
        signal.removeEventListener("abort", onStop);
      }
    },
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener("abort", leave);
      stop.abort(canceled("already released"));
    },
  };
}

export function timedOut(phase: string): GatewayError {
  const cause = new Error(`past the ${phase} deadline`);
  return new GatewayError("upstream_timeout", "The URL took too long to answer.", { cause });
}

function canceled(cause: unknown): GatewayError {
  if (cause instanceof GatewayError) return cause;
  return new GatewayError("canceled", "The fetch was canceled.", { cause });
}
