/** Counts what the callers see. */
export interface Tally {
  begin(): void;
  readonly begun: number;
  answerBegins(): void;
  answerEnds(): void;
  complete(firstByteMs: number, totalMs: number): void;
  fail(flaw: string): void;
  /** A target that fails this often is not worth waiting for. */
  isHopeless(): boolean;
  /** What has begun and not ended fails with the given flaw. */
  close(unfinished: string): TallyResult;
}

export interface TallyResult {
  readonly completed: number;
  readonly failed: number;
  /** What went wrong, and how often. */
  readonly failures: Readonly<Record<string, number>>;
  readonly elapsedMs: number;
  readonly firstByteMs: Quantiles;
  readonly totalMs: Quantiles;
  /** The most answers that had begun and not ended at one time. */
  readonly openAtOnce: number;
}

interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

const MAX_FAILURES = 500;
const MAX_FAILURE_KINDS = 10;

export function openTally(): Tally {
  const startedAt = performance.now();
  const firstByteMs: number[] = [];
  const totalMs: number[] = [];
  const failures = new Map<string, number>();
  let begun = 0;
  let failed = 0;
  let open = 0;
  let openAtOnce = 0;
  let lastAt = startedAt;

  function fail(flaw: string, count = 1): void {
    failed += count;
    const kind = failures.has(flaw) || failures.size < MAX_FAILURE_KINDS ? flaw : "other failures";
    failures.set(kind, (failures.get(kind) ?? 0) + count);
  }

  return {
    begin: () => void begun++,
    get begun() {
      return begun;
    },
    answerBegins: () => void (openAtOnce = Math.max(openAtOnce, ++open)),
    answerEnds: () => void open--,
    complete(first, total) {
      firstByteMs.push(first);
      totalMs.push(total);
      lastAt = performance.now();
    },
    fail: (flaw) => fail(flaw),
    isHopeless: () => failed >= MAX_FAILURES,
    close(unfinished) {
      const outstanding = begun - failed - totalMs.length;
      if (outstanding > 0) fail(unfinished, outstanding);
      return {
        completed: totalMs.length,
        failed,
        failures: Object.fromEntries(failures),
        elapsedMs: lastAt - startedAt,
        firstByteMs: quantiles(firstByteMs),
        totalMs: quantiles(totalMs),
        openAtOnce,
      };
    },
  };
}

export function quantiles(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999) };
}
