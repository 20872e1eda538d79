/** A periodic background job. It must be idempotent. */
export interface Job {
  readonly name: string;
  readonly everyMs: number;
  run(signal: AbortSignal): Promise<void>;
}

interface Scheduler {
  /** Cancels waiting and waits for running jobs. */
  stop(): Promise<void>;
}

/**
 * Runs each job at once and then at its interval, counted from the end of the
 * last run, so that runs of a job never overlap.
 */
export function startJobs(
  jobs: readonly Job[],
  onError: (job: string, cause: unknown) => void,
  onSuccess: (job: string) => void = () => {},
): Scheduler {
  const stopping = new AbortController();
  const running = jobs.map((job) => repeat(job, stopping.signal, onError, onSuccess));
  return {
    async stop() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

async function repeat(
  job: Job,
  signal: AbortSignal,
  onError: (job: string, cause: unknown) => void,
  onSuccess: (job: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await job.run(signal);
      onSuccess(job.name);
    } catch (cause) {
      if (!signal.aborted) onError(job.name, cause);
    }
    await pause(job.everyMs, signal);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });
}
